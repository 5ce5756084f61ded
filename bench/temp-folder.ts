import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Has `work` use a temporary folder that is removed afterwards. When this process is ended before, another one removes it:
 * hundreds of thousands of files take longer than whoever ends a process waits.
 */
export async function withTempFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `skillwire-${name}-`));
  const leave = (): void => {
    const code =
      'require("node:fs").rmSync(process.argv[1], { recursive: true, force: true, maxRetries: 9 })';
    spawn(process.execPath, ['-e', code, folder], { detached: true, stdio: 'ignore' }).unref();
  };
  process.once('exit', leave);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 9 });
    process.off('exit', leave);
  }
}
