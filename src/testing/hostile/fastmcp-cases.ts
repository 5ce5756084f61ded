/**
 * Lies in the file list of a server of the form of FastMCP.
 *
 * @module
 */
import { digestOf } from '../../integrity/index.ts';
import {
  type HostileAnswer,
  type HostileCase,
  type HostileDefinition,
  type HostileScript,
  RpcError,
} from './hostile-case.ts';
import { contentsOf, HONEST, LIAR, skillText } from './liar.ts';

interface Listed {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
}

function listedFile(path: string, content: string): Listed {
  return { path, size: Buffer.byteLength(content), hash: digestOf(Buffer.from(content)) };
}

/** A `SKILL.md` and the file list beside it. */
function skillFiles(name: string, list: unknown): readonly (readonly [string, HostileAnswer])[] {
  const root = `skill://${name}/`;
  const text = typeof list === 'string' ? list : JSON.stringify(list);
  return [
    [`${root}SKILL.md`, contentsOf(`${root}SKILL.md`, skillText(name))],
    [`${root}_manifest`, contentsOf(`${root}_manifest`, text)],
  ];
}

function script(list: unknown): HostileScript {
  const honest = { skill: 'honest', files: [listedFile('SKILL.md', skillText('honest'))] };
  const answers = new Map([...skillFiles('honest', honest), ...skillFiles('liar', list)]);
  return {
    answer: ({ method, params }) => {
      if (method === 'resources/list')
        return { resources: [...answers.keys()].map((uri) => ({ uri, name: uri })) };
      if (method !== 'resources/read') return undefined;
      const answer = answers.get(String(params.uri));
      if (answer === undefined) throw new RpcError(-32602, 'Resource not found', { uri: params.uri });
      return answer;
    },
  };
}

function listing(
  name: string,
  lies: string,
  expect: HostileCase['expect'],
  list: unknown,
): HostileDefinition {
  return {
    name,
    lies,
    at: 'read',
    expect,
    skill: LIAR,
    dialect: 'fastmcp',
    onlyHttp: false,
    neighbour: HONEST,
    script: () => script(list),
  };
}

const MANIFEST = listedFile('SKILL.md', skillText('liar'));

/** Every one of them is told through `_manifest`. */
export const FASTMCP_CASES: readonly HostileDefinition[] = [
  listing('file-list-dot-dot', 'the file list leads out of the skill', 'INVALID_MANIFEST', {
    skill: 'liar',
    files: [MANIFEST, listedFile('../honest/SKILL.md', 'x')],
  }),
  listing('file-list-absolute', 'the file list has an absolute path', 'INVALID_MANIFEST', {
    skill: 'liar',
    files: [MANIFEST, listedFile('/etc/passwd', 'x')],
  }),
  listing('file-list-backslash', 'the file list leads out of the skill on Windows', 'INVALID_MANIFEST', {
    skill: 'liar',
    files: [MANIFEST, listedFile('..\\x', 'x')],
  }),
  listing('file-list-twice', 'the file list has SKILL.md twice', 'INVALID_MANIFEST', {
    skill: 'liar',
    files: [MANIFEST, listedFile('SKILL.md', 'x')],
  }),
  listing('file-list-of-another', 'the file list is that of another skill', 'INVALID_MANIFEST', {
    skill: 'honest',
    files: [MANIFEST],
  }),
  listing('file-list-no-json', 'the file list is no JSON', 'INVALID_MANIFEST', '<!doctype html>'),
  listing('file-list-wrong-hash', 'SKILL.md has other bytes than the file list says', 'DIGEST_MISMATCH', {
    skill: 'liar',
    files: [{ ...MANIFEST, hash: `sha256:${'0'.repeat(64)}` }],
  }),
];
