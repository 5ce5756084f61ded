import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withTempFolder } from '../../bench/temp-folder.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../bench/temp-folder.ts')).href;

describe('temporary folders of the harness', () => {
  it('are gone afterwards, also when the work fails', async () => {
    let seen = '';
    const failing = withTempFolder('test', async (folder) => {
      seen = folder;
      writeFileSync(join(folder, 'file'), 'x');
      throw new Error('no more');
    });
    await expect(failing).rejects.toThrow('no more');
    expect([seen === '', existsSync(seen)]).toEqual([false, false]);
  });

  it('are removed by another process when this one is ended', async () => {
    const code = `import { withTempFolder } from ${JSON.stringify(MODULE)};
      await withTempFolder('test', async (folder) => { console.log(folder); process.exit(3); });`;
    const args = ['--import', 'tsx', '--input-type=module', '-e', code];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let folder = '';
    child.stdout.on('data', (data: Buffer) => {
      folder += data.toString();
    });
    const exit = await new Promise((resolve) => child.once('close', resolve));
    expect(exit).toBe(3);
    expect(folder).toMatch(/skillwire-test-/);
    while (existsSync(folder.trim())) await sleep(50);
  });
});
