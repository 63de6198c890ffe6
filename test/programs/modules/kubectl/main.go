// The command kubectl: its own main package belongs to the module of all of Kubernetes, which needs a `replace` for each
// of its parts.
package main

import (
	// The auth providers of a kubeconfig, as kubectl's own main package has them.
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
