// The command api-server: kube-apiserver with an etcd of its own, for tests.
//
//	api-server DATA_FOLDER KUBE_APISERVER_FLAG…
//
// Compacts etcd up to its current revision for each line of its stdin, and confirms it with a line. Ends when its stdin
// does: it never outlives the test that started it.
package main

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"os"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	etcd, err := startEtcd(os.Args[1])
	if err != nil {
		fail(err)
	}
	go serveInput(etcd.Server)
	command := app.NewAPIServerCommand()
	address := "http://" + etcd.Clients[0].Addr().String()
	command.SetArgs(append([]string{"--etcd-servers=" + address}, os.Args[2:]...))
	code := cli.Run(command)
	etcd.Close()
	os.Exit(code)
}

func startEtcd(folder string) (*embed.Etcd, error) {
	anyPort := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config := embed.NewConfig()
	config.Dir = folder
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	config.ListenClientUrls, config.AdvertiseClientUrls = anyPort, anyPort
	config.ListenPeerUrls, config.AdvertisePeerUrls = anyPort, anyPort
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	<-etcd.Server.ReadyNotify()
	return etcd, nil
}

func serveInput(server *etcdserver.EtcdServer) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		revision := server.KV().Rev()
		request := &etcdserverpb.CompactionRequest{Revision: revision, Physical: true}
		if _, err := server.Compact(context.Background(), request); err != nil {
			fail(err)
		}
		fmt.Println("compacted", revision)
	}
	os.Exit(0)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
