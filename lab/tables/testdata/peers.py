# What scikit-learn has for rows without a graph: the -peer of the table vectors. Columns are standardised but for the
# neighbours of spreading and of the spectral embedding, which take the better of both.
import argparse, csv, json, warnings
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import spectral_embedding
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

warnings.filterwarnings("ignore")
args = argparse.ArgumentParser()
for name in "--csv", "--splits", "--method":
    args.add_argument(name)
args = args.parse_args()
rows = list(csv.reader(open(args.csv)))[1:]
raw, y = np.array([r[1:-1] for r in rows], float), np.unique([r[-1] for r in rows], return_inverse=True)[1]
scaled, splits = StandardScaler().fit_transform(raw), json.load(open(args.splits))


def spectral(x):
    a = kneighbors_graph(x, 10)
    z = spectral_embedding((a + a.T) / 2, n_components=16, random_state=0)
    return z / z.std(0)


def accuracy(x, train, test):
    if args.method == "label spreading":
        known = np.full(len(y), -1)
        known[train] = y[train]
        found = LabelSpreading(kernel="knn", n_neighbors=10).fit(x, known).transduction_[test]
    else:
        model = SVC() if args.method == "SVM" else LogisticRegression(max_iter=2000)
        found = model.fit(x[train], y[train]).predict(x[test])
    return np.mean(found == y[test])


inputs = {"label spreading": [raw, scaled], "spectral embedding": [spectral(raw), spectral(scaled)]}.get(args.method, [scaled])
found = []
for x in inputs:
    found.append([])
    for k, train in enumerate(splits["train"]):
        test = np.setdiff1d(np.arange(len(y)), train + splits["val"][k])
        found[-1].append(accuracy(x, train, test))
print(json.dumps(max(found, key=np.mean)))
