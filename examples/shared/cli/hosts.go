package cli

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// Hosts are the names that a server answers to, besides localhost, loopback and the address of the connection. A page whose
// own name leads to this machine gets nothing.
type Hosts map[string]bool

// HostsOf are the host of an address to listen at, and the hosts of a list.
func HostsOf(addr, list string) Hosts {
	h := Hosts{"localhost": true, hostOf(addr): true}
	for name := range strings.SplitSeq(list, ",") {
		h[hostOf(strings.TrimSpace(name))] = true
	}
	return h
}

// hostOf is a host in small letters, without a port.
func hostOf(text string) string {
	host, _, err := net.SplitHostPort(text)
	if err != nil {
		host = text
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// Check refuses a request to another host.
func (h Hosts) Check(r *http.Request) error {
	host := hostOf(r.Host)
	ip := net.ParseIP(host)
	at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if host != "" && h[host] || ip.IsLoopback() || at != nil && ip != nil && at.IP.Equal(ip) {
		return nil
	}
	return fmt.Errorf("%q is no host of this server: ask for localhost, or name it at the start by -host", cmp.Or(r.Host, "no name"))
}
