import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endingWithRun } from '../children.ts';
import { hashesOf } from '../tree.ts';
import { withLock } from './lock.ts';
import { type GoPeer, type NpmPeer, PEERS, type Peer, type PeerName, type PipPeer } from './peers.ts';
import { replacedModules } from './replaced.ts';

/** A peer that can be run. */
export interface InstalledPeer {
  readonly folder: string;
  /** What is run: a program of npm or Go, or the Python of its environment. */
  readonly program: string;
  /** What stands in it for something else than the versions that were asked for; none: nothing does. */
  readonly replaced: readonly string[];
}

/** A peer that cannot be had on this machine now, which is neither a pass nor a failure. */
export interface NotRun {
  readonly notRun: string;
}

const FOLDER = fileURLToPath(new URL('./.installed/', import.meta.url));
const INSTALL_MS = 240_000;
/** Written last, so that a folder without it, or for other versions, is no peer. */
const MARK = 'installed.json';
const REPLACED = 'replaced.json';

/**
 * Where a peer of the table is, installed first where it is missing or of another version. Quick when it is there; two
 * processes that ask at once install it once.
 */
export async function installPeer(name: PeerName): Promise<InstalledPeer | NotRun> {
  const peer: Peer = PEERS[name];
  const folder = join(FOLDER, name);
  const program = programOf(peer, folder);
  const mark = JSON.stringify(peer.kind === 'go' ? { ...peer, sources: sourcesOf(peer) } : peer);
  const isThere = (): boolean => {
    try {
      return readFileSync(join(folder, MARK), 'utf8') === mark && existsSync(program);
    } catch {
      return false;
    }
  };
  const found = (): InstalledPeer => ({ folder, program, replaced: replacedIn(folder) });
  if (isThere()) return found();
  try {
    await withLock(join(FOLDER, `${name}.lock`), INSTALL_MS, async () => {
      if (isThere()) return;
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      await install(peer, folder);
      if (!existsSync(program)) throw new Error('the installation left no program');
      writeFileSync(join(folder, MARK), mark);
    });
    return found();
  } catch (error) {
    return { notRun: `${name} cannot be installed: ${(error as Error).message}` };
  }
}

function programOf(peer: Peer, folder: string): string {
  const windows = process.platform === 'win32';
  if (peer.kind === 'pip')
    return join(folder, 'venv', ...(windows ? ['Scripts', 'python.exe'] : ['bin', 'python']));
  return join(folder, windows && !/\.\w+$/.test(peer.program) ? `${peer.program}.exe` : peer.program);
}

async function install(peer: Peer, folder: string): Promise<void> {
  if (peer.kind === 'npm') await installNpm(peer, folder);
  else if (peer.kind === 'pip') await installPip(peer, folder);
  else await installGo(peer, folder);
}

async function installNpm({ packages }: NpmPeer, folder: string): Promise<void> {
  const manifest = {
    name: 'skillwire-peer',
    private: true,
    dependencies: packages,
    // The package node fetches its binary, another package, when it is installed.
    allowScripts: { node: true },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], folder);
}

async function installPip({ requirements, module }: PipPeer, folder: string): Promise<void> {
  await run(process.platform === 'win32' ? 'python' : 'python3', ['-m', 'venv', 'venv'], folder);
  const python = programOf({ kind: 'pip', requirements, module }, folder);
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'];
  await run(python, [...pip, ...requirements], folder);
  await run(python, ['-c', `import ${module}`], folder);
}

/** Where Go's own installer puts it, which is not in every `PATH`. */
const GO_FOLDER = '/usr/local/go/bin';

/**
 * Builds a copy of our programs, against what `go.sum` knows of each module. The environment of Go is the caller's: a mirror
 * (`GOPROXY`), other versions (`GOFLAGS=-modfile=…`) or a workspace (`GOWORK`) are taken as Go takes them.
 */
async function installGo(peer: GoPeer, folder: string): Promise<void> {
  const source = join(folder, 'source');
  for (const path of Object.keys(sourcesOf(peer))) cpSync(join(moduleOf(peer), path), join(source, path));
  const env = {
    PATH: `${process.env.PATH ?? ''}${delimiter}${GO_FOLDER}`,
    GOTOOLCHAIN: process.env.GOTOOLCHAIN ?? 'local',
    // One that happens to lie in a folder above is not about this.
    GOWORK: process.env.GOWORK ?? 'off',
  };
  await run('go', ['build', '-o', folder, './...'], source, env);
  const built = await run('go', ['version', '-m', programOf(peer, folder)], source, env);
  writeFileSync(join(folder, REPLACED), JSON.stringify(replacedModules(built)));
}

function replacedIn(folder: string): readonly string[] {
  const at = join(folder, REPLACED);
  return existsSync(at) ? (JSON.parse(readFileSync(at, 'utf8')) as string[]) : [];
}

/** What Go builds, with a hash of each: the folder holds TypeScript too. */
function sourcesOf(peer: GoPeer): Readonly<Record<string, string>> {
  const hashes = Object.entries(hashesOf(moduleOf(peer)));
  return Object.fromEntries(hashes.filter(([path]) => /\.go$|^go\.(?:mod|sum)$/.test(path)));
}

function moduleOf({ module }: GoPeer): string {
  return fileURLToPath(new URL(`../${module}/`, import.meta.url));
}

/** What the command printed on stdout; rejects with the end of all that it printed when it fails. */
function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: INSTALL_MS,
      killSignal: 'SIGKILL',
      // npm is a script there.
      shell: process.platform === 'win32',
    });
    endingWithRun(child);
    let [stdout, output] = ['', ''];
    const hear = (chunk: Buffer): void => {
      // Where it was asked for is nobody's business.
      output = (output + chunk.toString().replace(/https?:\/\/\S+/g, 'the registry')).slice(-2_000);
    };
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      hear(chunk);
    });
    child.stderr.on('data', hear);
    child.once('error', (error) => reject(new Error(`${command}: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${command} ${args[0]} ended with ${code ?? signal}: ${endOf(output)}`));
    });
  });
}

/** What went wrong, without what went on before. */
function endOf(output: string): string {
  return output
    .replace(/^go: downloading .*\n/gm, '')
    .trim()
    .slice(-600);
}
