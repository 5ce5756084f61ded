import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endingWithRun } from '../children.ts';
import { installPeer } from '../peers/install.ts';
import type { Tally } from '../tally.ts';
import { writeTree } from '../tree.ts';

const REQUEST = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'probe', version: '1' } },
});

/** Shows why mcpkit is not in the matrix over stdio. */
export async function mcpkitStdio(tally: Tally): Promise<void> {
  const peer = await installPeer('mcpkit');
  if ('notRun' in peer) {
    tally.notRun('mcpkit over stdio', peer.notRun);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-mcpkit-'));
  writeTree(folder, { 'a/SKILL.md': '---\nname: a\ndescription: d\n---\n' });
  try {
    const lines = await firstOutput(peer.program, folder, `${REQUEST}\n`, true);
    const framed = await firstOutput(
      peer.program,
      folder,
      `Content-Length: ${Buffer.byteLength(REQUEST)}\r\n\r\n${REQUEST}`,
      false,
    );
    // When this fails, it speaks as others do and belongs into the matrix.
    tally.same('mcpkit over stdio: a message in a line is not answered', lines, '');
    tally.check('mcpkit over stdio: answers are framed', framed.startsWith('Content-Length: '), framed);
    tally.peer('mcpkit frames messages over stdio with `Content-Length`, where MCP has one message a line');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What it prints for an input: first of all, or until it ends, which it does when its input ends. */
function firstOutput(program: string, folder: string, input: string, ends: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = endingWithRun(
      spawn(program, [folder, 'stdio'], {
        stdio: ['pipe', 'pipe', 'ignore'],
        timeout: 20_000,
        killSignal: 'SIGKILL',
      }),
    );
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      child.kill('SIGKILL');
    });
    child.once('error', reject);
    child.once('close', () => resolve(output));
    child.stdin.on('error', () => undefined);
    if (ends) child.stdin.end(input);
    else child.stdin.write(input);
  });
}
