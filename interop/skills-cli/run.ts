import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPeer } from '../peers/install.ts';
import { runToEnd, type Served, serveHttp } from '../serve.ts';
import type { Tally } from '../tally.ts';
import { hashesOf, hashesOfTree, RICH, type Tree, writeTree } from '../tree.ts';

/** Names that a URL cannot carry as they stand: archives carry them. */
const ODD: Tree = {
  'odd/SKILL.md': '---\nname: odd\ndescription: Odd names\n---\n\nBody.\n',
  'odd/50%.md': 'percent\n',
  'odd/a%20b.md': 'an escape in a name\n',
  'odd/what?.md': 'question\n',
  'odd/part#1.md': 'fragment\n',
  'odd/v1..v2.md': 'dots\n',
};

/** What is installed of a skill: its files, those of skills inside it too. */
function installedOf(tree: Tree, folder: string): Tree {
  const entries = Object.entries(tree).filter(([path]) => path.startsWith(`${folder}/`));
  return Object.fromEntries(entries.map(([path, content]) => [path.slice(folder.length + 1), content]));
}

/** Name of each skill and its folder in the tree. */
const SKILLS: readonly (readonly [string, string])[] = [
  ['crlf', 'crlf'],
  ['files', 'files'],
  ['inner', 'outer/inner'],
  ['odd', 'odd'],
  ['outer', 'outer'],
  ['plain', 'plain'],
];

/** Installs, updates and compares with the installer `skills` in a temporary home. */
export async function skillsCli(tally: Tally): Promise<void> {
  const [node, peer] = [await installPeer('node22'), await installPeer('skills')];
  for (const each of [node, peer]) {
    if (!('notRun' in each)) continue;
    tally.notRun('skills-cli', each.notRun);
    return;
  }
  if ('notRun' in node || 'notRun' in peer) return;
  const temp = mkdtempSync(join(tmpdir(), 'skillwire-skills-cli-'));
  const skills = join(temp, 'served');
  const tree = { ...RICH, ...ODD };
  writeTree(skills, tree);
  const home = join(temp, 'home');
  mkdirSync(home);
  const cli = async (cwd: string, args: readonly string[]) => {
    mkdirSync(cwd, { recursive: true });
    const env = { ...process.env, HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: join(home, '.config') };
    Object.assign(env, { DISABLE_TELEMETRY: '1', CI: '1', NO_COLOR: '1' });
    const { code, stdout, stderr } = await runToEnd(node.program, [peer.program, ...args], { cwd, env });
    return { code, output: stdout + stderr };
  };
  const served = await serveHttp([skills, '--log-level', 'debug']);
  try {
    await inProject(tally, { cli, served, skills, project: join(temp, 'project'), tree });
    await forTheUser(tally, { cli, served, home, cwd: join(temp, 'elsewhere'), tree });
    await olderForm(tally, { cli, served, project: join(temp, 'older'), tree: RICH });
  } finally {
    await served.stop();
  }
  await withToken(tally, { cli, skills, temp });
  rmSync(temp, { recursive: true, force: true });
}

type RunCli = (
  cwd: string,
  args: readonly string[],
) => Promise<{ readonly code: number | null; readonly output: string }>;

function compare(tally: Tally, where: string, folder: string, tree: Tree): void {
  for (const [name, from] of SKILLS) {
    const expected = hashesOfTree(installedOf(tree, from));
    if (Object.keys(expected).length === 0) continue;
    let got: unknown;
    try {
      got = hashesOf(join(folder, name));
    } catch (error) {
      got = (error as Error).message;
    }
    tally.same(`skills-cli ${where}: ${name} is installed byte for byte`, got, expected);
  }
}

async function inProject(
  tally: Tally,
  {
    cli,
    served,
    skills,
    project,
    tree,
  }: { cli: RunCli; served: Served; skills: string; project: string; tree: Tree },
): Promise<void> {
  const list = await cli(project, ['add', served.origin, '--list']);
  tally.check(
    'skills-cli: lists every skill',
    SKILLS.every(([name]) => list.output.includes(name)),
    list.output,
  );
  const added = await cli(project, [
    'add',
    served.origin,
    '--skill',
    '*',
    '-a',
    'claude-code',
    '-a',
    'codex',
    '-y',
  ]);
  tally.check('skills-cli: installs into a project', added.code === 0, added.output);
  compare(tally, 'project', join(project, '.agents', 'skills'), tree);
  const lock = readFileSync(join(project, 'skills-lock.json'), 'utf8');

  const before = served.log().length;
  const same = await cli(project, ['update', '-y']);
  const asked = served.log().slice(before);
  tally.check('skills-cli: a second run ends well', same.code === 0, same.output);
  tally.check(
    'skills-cli: a second run looks at the index and finds nothing to fetch',
    asked.includes('/.well-known/agent-skills/index.json') &&
      !/tar\.gz|SKILL\.md/.test(asked) &&
      !/Updating \w+…/.test(same.output),
    asked + same.output,
  );
  tally.same(
    'skills-cli: a second run changes no lock',
    readFileSync(join(project, 'skills-lock.json'), 'utf8'),
    lock,
  );

  appendFileSync(join(skills, 'files', 'how to.md'), 'edited\r\n');
  appendFileSync(join(skills, 'plain', 'SKILL.md'), 'edited\n');
  const edited = {
    ...tree,
    'files/how to.md': `${tree['files/how to.md']}edited\r\n`,
    'plain/SKILL.md': `${tree['plain/SKILL.md']}edited\n`,
  };
  await untilServed(served, 'plain', `${edited['plain/SKILL.md']}`);
  const updated = await cli(project, ['update', '-y']);
  tally.same(
    'skills-cli: an edit is found, and nothing else',
    [...updated.output.matchAll(/Updating ([a-z-]+)…/g)].map((match) => match[1]).sort(),
    ['files', 'plain'],
  );
  tally.check(
    'skills-cli: the update ends well',
    updated.code === 0 && !/✗|Failed/.test(updated.output),
    updated.output,
  );
  // An update forgets for which agents a skill was installed, and leaves a copy for one of them as it was.
  compare(tally, 'after an edit', join(project, '.agents', 'skills'), edited);
  writeTree(skills, {
    'files/how to.md': tree['files/how to.md'] ?? '',
    'plain/SKILL.md': tree['plain/SKILL.md'] ?? '',
  });
  await untilServed(served, 'plain', `${tree['plain/SKILL.md']}`);
}

/** The watcher tells of an edit within a moment. */
async function untilServed(served: Served, name: string, text: string): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    const got = await fetch(`${served.origin}/.well-known/skills/${name}/SKILL.md`);
    if ((await got.text()) === text) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the edit of ${name} is not served`);
}

async function forTheUser(
  tally: Tally,
  { cli, served, home, cwd, tree }: { cli: RunCli; served: Served; home: string; cwd: string; tree: Tree },
): Promise<void> {
  const added = await cli(cwd, [
    'add',
    served.origin,
    '--skill',
    '*',
    '-a',
    'claude-code',
    '-a',
    'codex',
    '-g',
    '-y',
  ]);
  tally.check('skills-cli: installs for the user, two agents', added.code === 0, added.output);
  compare(tally, 'user', join(home, '.agents', 'skills'), tree);
  const same = await cli(cwd, ['update', '-g', '-y']);
  tally.check(
    'skills-cli: nothing to update for the user',
    same.code === 0 && !/Updating \w+…/.test(same.output),
    same.output,
  );
}

/** The older form alone, behind a server that has no discovery index. */
async function olderForm(
  tally: Tally,
  { cli, served, project, tree }: { cli: RunCli; served: Served; project: string; tree: Tree },
): Promise<void> {
  const proxy = await withoutDiscovery(served.origin);
  try {
    const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const added = await cli(project, ['add', origin, '--skill', '*', '-a', 'claude-code', '-y']);
    tally.check('skills-cli older form: installs', added.code === 0, added.output);
    compare(tally, 'older form', join(project, '.claude', 'skills'), tree);
    tally.check(
      'skills-cli older form: leaves out what it cannot carry',
      !added.output.includes('✓ odd'),
      added.output,
    );
    const same = await cli(project, ['update', '-y']);
    tally.check(
      'skills-cli older form: nothing to update',
      same.code === 0 && !/Updating \w+…/.test(same.output),
      same.output,
    );
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
}

function withoutDiscovery(origin: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path.startsWith('/.well-known/agent-skills/')) {
      response.writeHead(404).end();
      return;
    }
    fetch(origin + path).then(
      async (got) => {
        response.writeHead(got.status, { 'content-type': got.headers.get('content-type') ?? '' });
        response.end(Buffer.from(await got.arrayBuffer()));
      },
      () => response.destroy(),
    );
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** The installer sends no token: a server that wants one is open to it only when told so. */
async function withToken(
  tally: Tally,
  { cli, skills, temp }: { cli: RunCli; skills: string; temp: string },
): Promise<void> {
  for (const open of [false, true]) {
    const served = await serveHttp([skills, ...(open ? ['--public-well-known'] : [])], {
      SKILLWIRE_TOKEN: 's3cret',
    });
    try {
      const { code, output } = await cli(join(temp, `token-${open}`), [
        'add',
        served.origin,
        '--skill',
        'plain',
        '-a',
        'claude-code',
        '-y',
      ]);
      tally.check(
        `skills-cli: with a token and ${open ? '' : 'no '}--public-well-known`,
        (code === 0) === open,
        output,
      );
    } finally {
      await served.stop();
    }
  }
}
