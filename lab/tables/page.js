// A heading sorts its table by what stands below it: figures from the largest
// down at first, names from A, and the other way round the next time.
for (const table of document.querySelectorAll("table")) {
  const headings = [...table.querySelectorAll("thead th[aria-sort]")];
  headings.forEach((heading, column) => heading.querySelector("button").addEventListener("click", () => {
    const names = column === 0;
    const first = names ? "ascending" : "descending";
    const other = names ? "descending" : "ascending";
    const order = heading.getAttribute("aria-sort") === first ? other : first;
    for (const h of headings) h.setAttribute("aria-sort", h === heading ? order : "none");

    const sign = order === "ascending" ? 1 : -1;
    const compare = (a, b) => {
      const x = a.cells[column], y = b.cells[column];
      if (names) return sign * x.textContent.localeCompare(y.textContent, "en", { numeric: true });
      const empty = !x.dataset.value - !y.dataset.value; // what is not measured stays last
      return empty || sign * (x.dataset.value - y.dataset.value) || 0;
    };
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort(compare));
  }));
}
