// Serves a folder of skills with mcpkit: serve FOLDER stdio|http [tar.gz|zip].
//
// mcpkit refuses a whole folder for one skill that it does not take. What it does not take is left out here, as the owner of
// the folder would have to do, and named on stderr.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"os"
	"path"
	"sort"
	"strings"
	"time"

	"github.com/panyam/mcpkit/core"
	"github.com/panyam/mcpkit/ext/skills"
	"github.com/panyam/mcpkit/server"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: serve FOLDER stdio|http [tar.gz|zip]")
	}
	folder, transport := os.Args[1], os.Args[2]
	options := []skills.ProviderOption{}
	if len(os.Args) > 3 {
		formats := map[string]skills.ArchiveFormat{"tar.gz": skills.ArchiveFormatTarGz, "zip": skills.ArchiveFormatZip}
		options = append(options, skills.WithArchiveMode(formats[os.Args[3]]))
	}
	seen, err := taken(os.DirFS(folder))
	if err != nil {
		log.Fatal(err)
	}
	provider, err := skills.NewProvider(append(options, skills.WithFS(seen))...)
	if err != nil {
		log.Fatal(err)
	}
	srv := server.NewServer(core.ServerInfo{Name: "mcpkit", Version: "0.5.2"})
	provider.RegisterWith(srv)
	go tell(folder, provider)
	if transport == "stdio" {
		err = srv.RunStdio(context.Background())
	} else {
		listener, failed := net.Listen("tcp", "127.0.0.1:0")
		if failed != nil {
			log.Fatal(failed)
		}
		fmt.Fprintf(os.Stderr, "listening on http://%s/mcp\n", listener.Addr())
		err = srv.RunWithListener(listener, server.WithStreamableHTTP(true))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// tell says that something changed when a folder comes or goes. mcpkit's own watcher needs a folder that it takes whole.
func tell(folder string, provider *skills.Provider) {
	known := names(folder)
	for range time.Tick(200 * time.Millisecond) {
		if now := names(folder); now != known {
			known = now
			if err := provider.NotifyChanged("."); err != nil {
				log.Print(err)
			}
		}
	}
}

func names(folder string) string {
	entries, _ := os.ReadDir(folder)
	found := make([]string, 0, len(entries))
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	return strings.Join(found, "\n")
}

// taken is the part of a tree that mcpkit takes: each skill is tried alone, without the skills inside it.
func taken(tree fs.FS) (fs.FS, error) {
	var folders []string
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Base(name) == "SKILL.md" {
			folders = append(folders, path.Dir(name))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	sort.Strings(folders)
	hidden := map[string]bool{}
	for _, folder := range folders {
		if _, err := skills.NewProvider(skills.WithFS(only{tree, folder, hidden})); err != nil {
			if !errors.Is(err, skills.ErrNestedSkill) {
				fmt.Fprintf(os.Stderr, "left out: %s: %v\n", folder, err)
				hidden[folder] = true
				continue
			}
			for _, inner := range folders {
				if strings.HasPrefix(inner, folder+"/") {
					fmt.Fprintf(os.Stderr, "left out: %s: %v\n", inner, err)
					hidden[inner] = true
				}
			}
		}
	}
	return only{tree, ".", hidden}, nil
}

// only shows one folder of a tree, without what is hidden.
type only struct {
	tree   fs.FS
	folder string
	hidden map[string]bool
}

func (o only) shows(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		if o.hidden[at] {
			return false
		}
	}
	return o.folder == "." || name == "." || name == o.folder ||
		strings.HasPrefix(name, o.folder+"/") || strings.HasPrefix(o.folder, name+"/")
}

func (o only) Open(name string) (fs.File, error) {
	if !o.shows(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return o.tree.Open(name)
}

func (o only) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.tree, name)
	shown := make([]fs.DirEntry, 0, len(entries))
	for _, entry := range entries {
		if o.shows(path.Join(name, entry.Name())) {
			shown = append(shown, entry)
		}
	}
	return shown, err
}
