// Reads the skills of a server with mcpkit and checks each file against its digest: read TASK, the task of a matrix client as
// JSON. The last line on stdout is the result.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/panyam/mcpkit/client"
	"github.com/panyam/mcpkit/core"
	"github.com/panyam/mcpkit/ext/skills"
)

const (
	listChanged = "notifications/resources/list_changed"
	maxBytes    = 64 << 20
)

type task struct {
	Era    string `json:"era"`
	WaitMs int    `json:"waitMs"`
	Target struct {
		URL     string            `json:"url"`
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	} `json:"target"`
}

type result struct {
	Listed   []string          `json:"listed"`
	Bytes    map[string]string `json:"bytes"`
	Errors   map[string]string `json:"errors"`
	Verified bool              `json:"verified"`
	Problems []string          `json:"problems"`
	Notified *bool             `json:"notified,omitempty"`
	Dialect  string            `json:"dialect"`
}

func main() {
	var wanted task
	if err := json.Unmarshal([]byte(os.Args[len(os.Args)-1]), &wanted); err != nil {
		log.Fatal(err)
	}
	told := make(chan struct{}, 1)
	mcp := connect(wanted, told)
	defer mcp.Close()
	found := result{
		Listed: []string{}, Bytes: map[string]string{}, Errors: map[string]string{}, Problems: []string{}, Dialect: "draft-index",
	}
	found.read(skills.NewClient(mcp, skills.WithMaxResourceBytes(maxBytes)))
	// What could not be read, or had another digest, is among the errors.
	found.Verified = len(found.Problems) == 0
	// It has no call that opens a subscription, without which the revision of 2026 tells nothing.
	if wanted.WaitMs > 0 && wanted.Era == "legacy" {
		fmt.Println(`{"waiting":true}`)
		heard := false
		select {
		case <-told:
			heard = true
		case <-time.After(time.Duration(wanted.WaitMs) * time.Millisecond):
		}
		found.Notified = &heard
	}
	said, err := json.Marshal(found)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(said))
}

func connect(wanted task, told chan<- struct{}) *client.Client {
	mode := client.ClientModeLegacyOnly
	if wanted.Era == "modern" {
		mode = client.ClientModeStateless
	}
	options := []client.ClientOption{
		client.WithClientMode(mode),
		client.WithConnectTimeout(10 * time.Second),
		client.WithNotificationCallback(func(method string, _ any) {
			if method != listChanged {
				return
			}
			select {
			case told <- struct{}{}:
			default:
			}
		}),
	}
	if wanted.Target.URL == "" {
		env := make([]string, 0, len(wanted.Target.Env))
		for name, value := range wanted.Target.Env {
			env = append(env, name+"="+value)
		}
		options = append(options, client.WithCommandTransport(wanted.Target.Command, wanted.Target.Args, client.WithEnv(env...)))
	} else if wanted.Era == "legacy" {
		options = append(options, client.WithGetSSEStream())
	}
	mcp := client.NewClient(wanted.Target.URL, core.ClientInfo{Name: "mcpkit", Version: "0.5.2"}, options...)
	if err := mcp.Connect(context.Background()); err != nil {
		log.Fatalf("connect: %v", err)
	}
	return mcp
}

// read reads every entry of the index, and every file that an entry pins.
func (r *result) read(from *skills.Client) {
	ctx := context.Background()
	// Its hosts look here first; a server of the draft alone declares nothing that clients of today would take for more.
	fmt.Fprintf(os.Stderr, "declared: %v\n", from.SupportsSkills())
	index, err := from.ListSkills(ctx)
	if err != nil {
		r.Problems = append(r.Problems, fmt.Sprintf("skill://index.json: %v", err))
		return
	}
	if err := index.Validate(); err != nil {
		r.Problems = append(r.Problems, fmt.Sprintf("skill://index.json: %v", err))
	}
	for _, entry := range index.Skills {
		got, err := from.ReadAndVerify(ctx, entry.URL, entry.Digest)
		if err == nil && !got.DigestVerified {
			err = fmt.Errorf("no digest is stated")
		}
		if entry.Type == skills.SkillTypeArchive {
			r.unpack(entry.URL, got, err)
			continue
		}
		r.Listed = append(r.Listed, entry.URL)
		if !r.took(entry.URL, got, err) {
			continue
		}
		manifest, err := from.ReadSkillManifest(ctx, entry.URL)
		if err != nil {
			r.Errors[entry.URL] = err.Error()
			continue
		}
		for _, pin := range entry.FileDigests() {
			reference := encoded(pin.Path)
			got, err := from.ReadSkillFileVerified(ctx, entry, manifest, "./"+reference)
			r.took(strings.TrimSuffix(entry.URL, "SKILL.md")+reference, got, err)
		}
	}
}

// unpack takes the files out of the archive of a skill.
func (r *result) unpack(uri string, got *skills.ReadResult, err error) {
	root := uri
	for _, suffix := range []string{".tar.gz", ".zip"} {
		root = strings.TrimSuffix(root, suffix)
	}
	r.Listed = append(r.Listed, root+"/SKILL.md")
	if err != nil {
		r.Errors[root+"/SKILL.md"] = err.Error()
		return
	}
	format := skills.ArchiveFormatZip
	if strings.HasSuffix(uri, ".tar.gz") {
		format = skills.ArchiveFormatTarGz
	}
	entries, err := skills.UnpackBytes(got.Bytes, format, maxBytes)
	if err != nil {
		r.Errors[root+"/SKILL.md"] = err.Error()
		return
	}
	for _, entry := range entries {
		r.Bytes[root+"/"+encoded(entry.Path)] = sum(entry.Body)
	}
}

func (r *result) took(uri string, got *skills.ReadResult, err error) bool {
	if err != nil {
		r.Errors[uri] = err.Error()
		return false
	}
	r.Bytes[uri] = sum(got.Bytes)
	return true
}

func encoded(path string) string {
	segments := strings.Split(path, "/")
	for at, segment := range segments {
		segments[at] = url.PathEscape(segment)
	}
	return strings.Join(segments, "/")
}

func sum(bytes []byte) string {
	hash := sha256.Sum256(bytes)
	return hex.EncodeToString(hash[:])
}
