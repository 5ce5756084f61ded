import { afterEach, describe, expect, it } from 'vitest';
import { createOutput } from '../../src/cli/output.ts';
import { type LyingServer, lyingSkill, startLying } from './lying-server.ts';
import { skillText } from './program.ts';
import { removeFolders, runWith, serve, TWO } from './targets.ts';

const open: { close(): Promise<void> }[] = [];

async function opened<T extends { close(): Promise<void> }>(server: Promise<T>): Promise<T> {
  const started = await server;
  open.push(started);
  return started;
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  removeFolders();
});

describe('show of a server', () => {
  it('lists its skills when none is named', async () => {
    const { url } = await opened(serve(TWO));
    expect((await runWith(['show', url])).stdout).toBe((await runWith(['list', url])).stdout);
  });

  it('shows a skill: what is known of it, its files, and its SKILL.md', async () => {
    const { url } = await opened(serve(TWO));
    const { code, stdout } = await runWith(['show', url, 'pdf']);
    expect(code).toBe(0);
    expect(stdout).toContain('uri        skill://pdf/SKILL.md');
    expect(stdout).toContain('integrity  complete');
    expect(stdout).toMatch(/scripts\/run\.sh {2}18 B {2}sha256:[0-9a-f]{64}/);
    expect(stdout).toContain('\n---\nname: pdf\ndescription: Reads PDF files. Use when there is one.\n---\n');
  });

  it.each(['scripts/run.sh', './scripts/run.sh', 'skill://pdf/scripts/run.sh'])(
    'gives the bytes of the file %s',
    async (file) => {
      const { url } = await opened(serve(TWO));
      const { code, stdout } = await runWith(['show', url, 'pdf', file]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '#!/bin/sh\necho hi\n' });
    },
  );

  it('gives a file as a document, text as text and bytes in Base64', async () => {
    const { url } = await opened(serve(TWO));
    const text = JSON.parse((await runWith(['show', url, 'pdf', 'scripts/run.sh', '--json'])).stdout);
    expect(text.file).toMatchObject({ path: 'scripts/run.sh', size: 18, text: '#!/bin/sh\necho hi\n' });
    const binary = JSON.parse((await runWith(['show', url, 'pdf', 'data.bin', '--json'])).stdout);
    expect(binary.file).toMatchObject({ path: 'data.bin', size: 4, blob: 'AP8B/g==' });
  });

  it('prints nothing binary on a terminal', async () => {
    const { url } = await opened(serve(TWO));
    const written: string[] = [];
    const stream = {
      isTTY: true,
      write: (chunk: string | Uint8Array) => written.push(String(chunk)) > 0,
      on: () => undefined,
    };
    const { code } = await runWith(['show', url, 'pdf', 'data.bin'], {
      output: createOutput(stream, { ...stream, isTTY: false }, {}),
    });
    expect(code).toBe(2);
    expect(written.join('')).toContain('data.bin is binary');
  });

  it('names the skills of one name by their URIs, and prefers none', async () => {
    const { url } = await opened(serve({ ...TWO, 'b/pdf/SKILL.md': skillText('pdf') }));
    const byPath = await runWith(['show', url, 'b/pdf', '--json']);
    expect(JSON.parse(byPath.stdout).entry.uri).toBe('skill://b/pdf/SKILL.md');
    const server = await opened(
      startLying((contents) => [lyingSkill('a/pdf', {}, contents), lyingSkill('b/pdf', {}, contents)]),
    );
    const { code, stderr } = await runWith(['show', server.url, 'pdf']);
    expect(code).toBe(2);
    expect(stderr).toContain('skill://a/pdf/SKILL.md, skill://b/pdf/SKILL.md');
  });

  it('asks for a skill that no listing has by its URI', async () => {
    const { url } = await opened(serve({ ...TWO, 'odd/SKILL.md': skillText('odd', 'x'.repeat(1_100)) }));
    expect((await runWith(['list', url])).stdout).not.toContain('odd');
    const { code, stdout } = await runWith(['show', url, 'skill://odd/SKILL.md', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).entry.frontmatter.name).toBe('odd');
  });

  it('asks for nothing that the entry does not list', async () => {
    const server: LyingServer = await opened(startLying((contents) => [lyingSkill('pdf', {}, contents)]));
    server.state.contents.set('skill://pdf/secret.md', 'secret');
    const { code, stderr } = await runWith(['show', server.url, 'pdf', 'secret.md']);
    expect(code).toBe(3);
    expect(stderr).toContain('lists no file "secret.md"');
    expect(server.state.reads).toEqual([]);
  });

  it('shows what is made anew at each read, and calls it so', async () => {
    const server = await opened(
      startLying((contents) => [{ ...lyingSkill('live', {}, contents), resources: 'dynamic' }]),
    );
    const { code, stdout } = await runWith(['show', server.url, 'live']);
    expect(code).toBe(0);
    expect(stdout).toContain('integrity  dynamic');
    expect(stdout).toContain('files made anew at each read');
    expect(stdout).toContain('name: live');
  });

  it('shows nothing that failed its check', async () => {
    const server = await opened(startLying((contents) => [lyingSkill('pdf', {}, contents)]));
    server.state.contents.set(
      'skill://pdf/SKILL.md',
      skillText('pdf', 'Something else, and longer than that was.'),
    );
    const { code, stdout, stderr } = await runWith(['show', server.url, 'pdf', 'SKILL.md']);
    expect(code).toBe(4);
    expect(stdout).toBe('');
    expect(stderr).toContain('error[SIZE_MISMATCH]');
  });
});
