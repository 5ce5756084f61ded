import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packSkill } from '../../src/archive/index.ts';
import {
  type ClientDialect,
  type Integrity,
  SkillsClient,
  type SkillsClientOptions,
} from '../../src/client/index.ts';
import { parseFrontmatter } from '../../src/format/index.ts';
import { digestOf } from '../../src/integrity/index.ts';
import { createProvider, type ProviderOptions } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { legacyIndexText } from '../../src/wire/index.ts';
import { codeOf } from '../archive/code-of.ts';
import { start } from '../http/harness.ts';
import { closeRemotes, remote } from '../net/support.ts';
import { fastmcpScript } from './dialects/fastmcp-server.ts';
import { linked, scripted } from './link.ts';

/** One body of skills, read through every dialect: what is told of it may differ, its bytes may not. */
const ALPHA =
  '\ufeff---\r\nname: alpha\r\ndescription: All kinds of files\r\nmetadata:\r\n  version: "1.10"\r\n---\r\n\r\n# Alpha\r\n';
const SKILLS: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>> = {
  'team/alpha': {
    'SKILL.md': ALPHA,
    'crlf.txt': 'a\r\nb\r\n',
    'bom.md': '\ufeff# BOM\n',
    'empty.txt': '',
    'latin1.txt': Buffer.from([0xe9, 0x0a]),
    'nul.txt': 'a\u0000b',
    'assets/logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]),
    'notes/how to.md': '# How\n',
    '\u540d\u524d e\u0301.md': 'decomposed\n',
    'deep/a/b/c/d.txt': 'deep\n',
    "odd/~!$&'()*+,;=@[]{}^`.md": 'odd\n',
    '100%.md': 'percent\n',
    'a?b#c.md': 'question\n',
    'inner/SKILL.md': '---\nname: inner\ndescription: Nested\n---\nInner.\n',
    'inner/y.md': 'y\n',
    LICENSE: 'MIT\n',
  },
  'team/alpha/inner': {
    'SKILL.md': '---\nname: inner\ndescription: Nested\n---\nInner.\n',
    'y.md': 'y\n',
  },
  'team/renamed': {
    'SKILL.md': '---\nname: renamed\ndescription: In a folder of another name\n---\nRenamed.\n',
    'x.md': 'x\n',
  },
  one: { 'SKILL.md': '---\nname: one\ndescription: One file\n---\nOne.\n' },
};

/** The same as the folders of a source. */
const FILES: Record<string, string | Buffer> = {};
for (const [path, files] of Object.entries(SKILLS)) {
  const folder = path === 'team/renamed' ? 'team/Wrong Folder' : path;
  for (const [file, content] of Object.entries(files)) FILES[`${folder}/${file}`] = content;
}

interface Speaker {
  readonly dialect: ClientDialect;
  readonly open: () => Promise<SkillsClient>;
  /** Skills are known by their name alone. */
  readonly flat?: boolean;
  /** What the server can say of a file of a skill. @default complete */
  readonly integrity?: (skill: string) => Integrity;
  /** Whether the dialect carries a file. @default every one */
  readonly carries?: (path: string) => boolean;
  /** Files whose bytes the server changes on the way. */
  readonly broken?: readonly string[];
  /** What the client says of how it found the dialect. @default nothing */
  readonly problems?: readonly string[];
  /** How the archives of the index end, which loading by it does not unpack. @default none */
  readonly suffix?: string;
}

async function serving(
  options: Partial<ProviderOptions>,
  client: SkillsClientOptions = {},
): Promise<SkillsClient> {
  const provider = await createProvider({ source: memorySource(FILES), ...options });
  onTestFinished(() => provider.close());
  const server = new McpServer({ name: 'suite', version: '1.0.0' });
  provider.attach(server);
  return new SkillsClient(await linked(server), client);
}

/** A client of an MCP server that has nothing, and of a web server. */
async function besideWeb(url: string): Promise<SkillsClient> {
  const { client } = await scripted({ capabilities: {}, answer: () => undefined });
  return new SkillsClient(client, { wellKnown: { url } });
}

async function web(): Promise<SkillsClient> {
  const provider = await createProvider({ source: memorySource(FILES), dialects: ['well-known'] });
  onTestFinished(() => provider.close());
  const { port } = await start({ provider });
  return besideWeb(`http://127.0.0.1:${port}`);
}

async function olderWeb(): Promise<SkillsClient> {
  onTestFinished(closeRemotes);
  const entries = Object.entries(SKILLS).map(([path, files]) => ({
    name: path.split('/').at(-1) ?? '',
    description: 'x',
    files: Object.keys(files).filter((file) => !/[%?#]/.test(file)),
  }));
  const { origin } = await remote((request, response) => {
    const path = decodeURIComponent(request.url ?? '').replace('/.well-known/skills/', '');
    if (path === 'index.json') return response.end(legacyIndexText(entries));
    const [name, ...rest] = path.split('/');
    const skill = Object.entries(SKILLS).find(([each]) => each.split('/').at(-1) === name);
    const content = skill?.[1][rest.join('/')];
    return content === undefined ? response.writeHead(404).end() : response.end(content);
  });
  return besideWeb(origin);
}

/** Shape B of the draft index: an archive each, or the URL of a `SKILL.md`. */
async function younger(kind: 'archive' | 'url'): Promise<SkillsClient> {
  const resources = new Map<string, Buffer>();
  const skills: unknown[] = [];
  for (const [path, files] of Object.entries(SKILLS)) {
    const name = path.split('/').at(-1) ?? '';
    const manifest = Buffer.from(files['SKILL.md'] ?? '');
    const { frontmatter } = parseFrontmatter(manifest);
    if (kind === 'url') {
      const url = `skill://${name}/SKILL.md`;
      resources.set(url, manifest);
      skills.push({ frontmatter, url, digest: digestOf(manifest) });
      continue;
    }
    const packed = await packSkill(
      Object.entries(files).map(([file, content]) => ({ path: file, bytes: Buffer.from(content) })),
      'zip',
    );
    const url = `skill://${name}.zip`;
    resources.set(url, packed);
    skills.push({ frontmatter, archives: [{ url, mimeType: 'application/zip', digest: digestOf(packed) }] });
  }
  resources.set('skill://index.json', Buffer.from(JSON.stringify({ skills })));
  const { client } = await scripted({
    capabilities: { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
    answer: (method, { uri }) => {
      if (method !== 'resources/read') return undefined;
      const bytes = resources.get(String(uri));
      if (bytes === undefined) return { error: { code: -32602, message: 'Resource not found' } };
      const isJson = String(uri).endsWith('.json');
      return {
        contents: [{ uri, ...(isJson ? { text: String(bytes) } : { blob: bytes.toString('base64') }) }],
      };
    },
  });
  return new SkillsClient(client);
}

/** In the shape of the real FastMCP, where a skill is a folder of the root. */
async function realFastmcp(): Promise<SkillsClient> {
  const tree = Object.fromEntries(
    Object.entries(SKILLS).map(([path, files]) => [path.split('/').at(-1) ?? '', files]),
  );
  return new SkillsClient((await scripted(fastmcpScript(tree))).client);
}

const none = (): Integrity => 'none';

const SPEAKERS: Readonly<Record<string, Speaker>> = {
  released: { dialect: 'released', open: () => serving({}) },
  'draft index, file by file': {
    dialect: 'draft-index',
    open: () => serving({ dialects: ['draft-index'] }),
  },
  'draft index, tar.gz': {
    dialect: 'draft-index',
    open: () => serving({ dialects: ['draft-index'], archive: 'tar.gz' }),
    suffix: '.tar.gz',
  },
  'draft index, zip': {
    dialect: 'draft-index',
    open: () => serving({ dialects: ['draft-index'], archive: 'zip' }),
    suffix: '.zip',
  },
  'draft index without digests of files': {
    dialect: 'draft-index',
    open: () => serving({ dialects: ['draft-index'], supportingDigests: 'off' }),
    integrity: () => 'partial',
    carries: (path) => path === 'SKILL.md',
  },
  'draft index of the younger shape, archives': {
    dialect: 'draft-index',
    open: () => younger('archive'),
    flat: true,
    problems: ['METHOD_NOT_FOUND'],
  },
  'draft index of the younger shape, URLs': {
    dialect: 'draft-index',
    open: () => younger('url'),
    flat: true,
    problems: ['METHOD_NOT_FOUND'],
    integrity: () => 'partial',
    carries: (path) => path === 'SKILL.md',
  },
  'fastmcp, template': { dialect: 'fastmcp', open: () => serving({ dialects: ['fastmcp'] }) },
  'fastmcp, resources': {
    dialect: 'fastmcp',
    open: () => serving({ dialects: ['fastmcp'], supportingFiles: 'resources' }),
  },
  'fastmcp, as FastMCP does it': {
    dialect: 'fastmcp',
    open: realFastmcp,
    flat: true,
    broken: ['alpha/SKILL.md', 'alpha/crlf.txt', 'alpha/latin1.txt'],
  },
  'well-known': { dialect: 'well-known', open: web, flat: true },
  'well-known, older': {
    dialect: 'well-known',
    open: olderWeb,
    flat: true,
    integrity: none,
    carries: (path) => !/[%?#]/.test(path),
  },
  plain: {
    dialect: 'plain',
    open: () => serving({ dialects: ['fastmcp'], supportingFiles: 'resources' }, { dialect: 'plain' }),
    integrity: none,
  },
};

function encoded(path: string): string {
  return path
    .split('/')
    .map((name) =>
      encodeURIComponent(name).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');
}

describe.each(Object.entries(SPEAKERS))('the same skills through %s', (_, speaker) => {
  const { dialect, open, flat = false, integrity = (): Integrity => 'complete', broken = [] } = speaker;
  const { carries = (): boolean => true, problems = [], suffix } = speaker;
  const rootOf = (path: string): string => `skill://${flat ? path.split('/').at(-1) : path}`;
  const all = Object.entries(SKILLS).map(([path, files]) => ({
    name: path.split('/').at(-1) ?? '',
    root: rootOf(path),
    files: Object.entries(files).filter(([file]) => carries(file)),
  }));

  it('are listed, each with what can be checked of it', async () => {
    const { skills, ...rest } = await (await open()).listSkills();
    expect({ ...rest, problems: rest.problems.map(({ code }) => code) }).toEqual({
      complete: true,
      dialect,
      problems,
    });
    const found = skills.map((skill) => [
      skill.entry.uri,
      skill.entry.frontmatter.name,
      skill.dialect,
      skill.integrity,
    ]);
    const wanted = all.map(({ root, name }) => [`${root}/SKILL.md`, name, dialect, integrity(name)]);
    expect(found.sort()).toEqual(wanted.sort());
  });

  it('have their files, listed or not, and each has its bytes', async () => {
    const client = await open();
    for (const { name, root, files } of all) {
      const skill = await client.getSkill(`${root}/SKILL.md`);
      const { resources } = skill.entry;
      if (typeof resources === 'string') throw new Error(`the files of ${name} are not told`);
      const uris = files.map(([file]) => `${root}/${encoded(file)}`);
      expect(resources.map(({ uri }) => uri).sort()).toEqual(uris.sort());
      for (const [file, content] of files) {
        const read = client.read(skill, encoded(file));
        if (broken.includes(`${name}/${file}`)) {
          await expect(read, file).rejects.toMatchObject({
            code: expect.stringMatching(/^(?:SIZE|DIGEST)_MISMATCH$/),
          });
          continue;
        }
        const { bytes, verified, uri } = await read;
        expect(Buffer.compare(bytes, Buffer.from(content)), file).toBe(0);
        expect(uri).toBe(`${root}/${encoded(file)}`);
        expect(verified).toBe(integrity(name) !== 'none');
      }
    }
  });

  it('give their SKILL.md as it was listed, parsed', async () => {
    const client = await open();
    const { skills } = await client.listSkills();
    const one = skills.find(({ entry }) => entry.frontmatter.name === 'one')!;
    expect(await client.read(one)).toMatchObject({
      text: '---\nname: one\ndescription: One file\n---\nOne.\n',
      body: 'One.\n',
      frontmatter: { name: 'one', description: 'One file' },
      dialect,
    });
    if (broken.length > 0) return;
    const alpha = skills.find(({ entry }) => entry.frontmatter.name === 'alpha')!;
    expect(await client.read(alpha)).toMatchObject({
      text: ALPHA,
      body: '# Alpha\n',
      frontmatter: { name: 'alpha', metadata: { version: '1.10' } },
    });
  });

  it('give a file by its URI alone, once the server was listed', async () => {
    const client = await open();
    await client.listSkills();
    for (const { name, root, files } of all) {
      for (const [file, content] of files) {
        if (broken.includes(`${name}/${file}`)) continue;
        const bytes = await client.readSkillUri(`${root}/${encoded(file)}`);
        expect(Buffer.compare(bytes, Buffer.from(content)), file).toBe(0);
      }
    }
  });

  it('are all loaded', async () => {
    const loaded = await (await open()).loadAll();
    const wanted = all.map(({ root, name }) => {
      if (suffix !== undefined) return [root + suffix, 'ARCHIVE_NOT_LOADED'];
      const isBroken = broken.includes(`${name}/SKILL.md`);
      return [`${root}/SKILL.md`, isBroken ? 'SIZE_MISMATCH' : undefined];
    });
    expect(loaded.map(({ entry, error }) => [entry.url, error?.code])).toEqual(wanted.sort());
    if (suffix !== undefined) return;
    const one = loaded.find(({ entry }) => entry.name === 'one');
    expect(Buffer.from(one?.body ?? []).toString()).toBe(
      '---\nname: one\ndescription: One file\n---\nOne.\n',
    );
  });

  it('have no other file, and there is no other skill', async () => {
    const client = await open();
    const skill = await client.getSkill(`${rootOf('one')}/SKILL.md`);
    const code = await codeOf(() => client.read(skill, 'nothing.md'));
    expect(code).toMatch(/^(?:UNLISTED_FILE|SUPPORTING_FILE_UNPINNED)$/);
    expect(await codeOf(() => client.read(skill, '../team/alpha/SKILL.md'))).toBe('RELATIVE_ESCAPES_SKILL');
    const missing = 'skill://no-such-skill/SKILL.md';
    expect(await codeOf(async () => client.read(await client.getSkill(missing)))).toBe('RESOURCE_NOT_FOUND');
  });
});
