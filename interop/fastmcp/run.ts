import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPeer } from '../peers/install.ts';
import { CLI, runToEnd, type Served, serveHttp } from '../serve.ts';
import type { Tally } from '../tally.ts';
import { hashesOf, hashesOfTree, RICH, sha256, type Tree, writeTree } from '../tree.ts';

const SCRIPT = fileURLToPath(new URL('client.py', import.meta.url));
const MODES = ['auto', 'legacy'] as const;
const SKILLS = ['crlf', 'files', 'outer', 'outer/inner', 'plain'];
const MANY = 10_000;

/** What the script is asked for. */
interface Task {
  readonly target: string | readonly string[];
  readonly mode: (typeof MODES)[number];
  readonly manifests?: boolean;
  readonly sync?: string;
  readonly download?: string;
}

interface Said {
  readonly protocol: string;
  readonly skills: readonly (readonly [string, string, string])[];
  readonly manifests?: Readonly<Record<string, readonly (readonly [string, number, string])[]>>;
  readonly downloaded?: Readonly<Record<string, true | string>>;
}

/** Lists, downloads and compares with FastMCP's client helpers. */
export async function fastmcp(tally: Tally): Promise<void> {
  const peer = await installPeer('fastmcp');
  if ('notRun' in peer) {
    tally.notRun('fastmcp', peer.notRun);
    return;
  }
  const temp = mkdtempSync(join(tmpdir(), 'skillwire-fastmcp-'));
  const ask: Ask = async (task) => {
    const { code, stdout, stderr } = await runToEnd(peer.program, [SCRIPT, JSON.stringify(task)], {
      ms: 240_000,
    });
    if (code !== 0) throw new Error(`client.py ended with ${code}: ${stderr.slice(-1_500)}`);
    return JSON.parse(stdout) as Said;
  };
  try {
    await everyFile(tally, ask, temp);
    await oddNames(tally, ask, temp);
    await many(tally, ask, temp);
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

type Ask = (task: Task) => Promise<Said>;

async function everyFile(tally: Tally, ask: Ask, temp: string): Promise<void> {
  const folder = join(temp, 'skills');
  writeTree(folder, RICH);
  for (const prefix of ['', 'team/tools']) {
    const args = [folder, ...(prefix === '' ? [] : ['--prefix', prefix])];
    const served = await serveHttp(args);
    try {
      const stdio = [process.execPath, CLI, 'serve', ...args, '--log-level', 'error'];
      for (const mode of MODES) {
        for (const target of [served.url, stdio]) {
          // Below a prefix each transport and each mode once.
          if (prefix !== '' && (mode === 'auto') === (target === stdio)) continue;
          const where = `fastmcp ${mode} over ${target === stdio ? 'stdio' : 'HTTP'}${prefix === '' ? '' : ' below a prefix'}`;
          await guarded(tally, where, () => oneTransfer(tally, ask, { where, target, mode, prefix, temp }));
        }
      }
    } finally {
      await served.stop();
    }
  }
}

async function oneTransfer(
  tally: Tally,
  ask: Ask,
  {
    where,
    target,
    mode,
    prefix,
    temp,
  }: Pick<Task, 'target' | 'mode'> & { where: string; prefix: string; temp: string },
): Promise<void> {
  const out = mkdtempSync(join(temp, 'out-'));
  const said = await ask({ target, mode, manifests: true, sync: out });
  tally.same(`${where}: protocol`, said.protocol, mode === 'auto' ? '2026-07-28' : '2025-11-25');
  const below = prefix === '' ? '' : `${prefix}/`;
  tally.same(
    `${where}: list_skills`,
    said.skills,
    SKILLS.map((path) => [
      below + path,
      `About ${path.split('/').at(-1)}, with "quotes" & <angles>`,
      `skill://${below}${path}/SKILL.md`,
    ]),
  );
  for (const path of SKILLS) {
    const files = Object.entries(RICH)
      .filter(([each]) => each.startsWith(`${path}/`))
      .map(([each, content]) => [
        each.slice(path.length + 1),
        Buffer.from(content).length,
        `sha256:${sha256(Buffer.from(content))}`,
      ]);
    const byPath = (a: readonly unknown[], b: readonly unknown[]): number =>
      String(a[0]) < String(b[0]) ? -1 : 1;
    tally.same(
      `${where}: get_skill_manifest of ${path}`,
      [...(said.manifests?.[below + path] ?? [])].sort(byPath),
      files.sort(byPath),
    );
  }
  const expected: Tree = Object.fromEntries(
    Object.entries(RICH).map(([path, content]) => [below + path, content]),
  );
  tally.same(`${where}: sync_skills gives every file byte for byte`, hashesOf(out), hashesOfTree(expected));
}

/** FastMCP puts the path of a file into the URI as it stands, where these mean something else. */
const ODD: Readonly<Record<string, string>> = {
  escape: 'a%20b.md',
  question: 'what?.md',
  fragment: 'part#1.md',
  percent: '50%.md',
};

async function oddNames(tally: Tally, ask: Ask, temp: string): Promise<void> {
  const folder = join(temp, 'odd');
  for (const [skill, file] of Object.entries(ODD)) {
    writeTree(folder, {
      [`${skill}/SKILL.md`]: `---\nname: ${skill}\ndescription: Odd names\n---\n`,
      [`${skill}/${file}`]: 'odd\n',
    });
  }
  const served = await serveHttp([folder]);
  try {
    await guarded(tally, 'fastmcp, odd names', async () => {
      const out = mkdtempSync(join(temp, 'odd-out-'));
      const said = await ask({ target: served.url, mode: 'auto', manifests: true, download: out });
      for (const [skill, file] of Object.entries(ODD)) {
        const where = `fastmcp, a file named ${file}`;
        const paths = (said.manifests?.[skill] ?? []).map(([path]) => path);
        tally.check(`${where}: its manifest has it under that name`, paths.includes(file), paths);
        const got = said.downloaded?.[skill];
        const refused = typeof got === 'string' && got.includes('-32602');
        tally.check(`${where}: refused and never answered with another file`, refused, got);
        if (refused)
          tally.peer(`download_skill does not encode ${JSON.stringify(file)} in the URI that it asks for`);
      }
    });
  } finally {
    await served.stop();
  }
}

async function many(tally: Tally, ask: Ask, temp: string): Promise<void> {
  const folder = join(temp, 'many');
  const tree: Record<string, string> = {};
  for (let index = 0; index < MANY; index++) {
    const name = `skill-${String(index).padStart(5, '0')}`;
    tree[`${name}/SKILL.md`] = `---\nname: ${name}\ndescription: Number ${index}\n---\n`;
  }
  writeTree(folder, tree);
  const served: Served = await serveHttp([folder, '--no-watch']);
  try {
    const targets: readonly (readonly [string, Task['target']])[] = [
      ['HTTP', served.url],
      ['stdio', [process.execPath, CLI, 'serve', folder, '--no-watch', '--log-level', 'error']],
    ];
    for (const [index, [name, target]] of targets.entries()) {
      const where = `fastmcp, ${MANY} skills over ${name}`;
      await guarded(tally, where, async () => {
        const { skills } = await ask({ target, mode: MODES[index] ?? 'auto' });
        tally.same(where, [skills.length, new Set(skills.map(([each]) => each)).size], [MANY, MANY]);
      });
    }
  } finally {
    await served.stop();
  }
}

/** A run that breaks off is one failure, and the others go on. */
async function guarded(tally: Tally, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    tally.check(what, false, (error as Error).message);
  }
}
