/**
 * Lies of web servers that publish skills as documents.
 *
 * @module
 */
import { digestOf } from '../../integrity/index.ts';
import { badTarGz } from './bad-archives.ts';
import type { HostileCase, HostileDefinition, HostileDocument } from './hostile-case.ts';
import { frontmatterOf, HONEST, LIAR, skillText } from './liar.ts';

const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
const FOLDER = '/.well-known/agent-skills';
const { description } = frontmatterOf('liar');

function document(body: string | Uint8Array, type = 'text/markdown'): HostileDocument {
  return { type, body: Buffer.from(body) };
}

function single(name: string, content: string): Readonly<Record<string, unknown>> {
  const url = `${FOLDER}/${name}/SKILL.md`;
  return { name, description, type: 'skill-md', url, digest: digestOf(Buffer.from(content)) };
}

function web(
  name: string,
  lies: string,
  at: HostileCase['at'],
  expect: HostileCase['expect'],
  make: () => {
    readonly entry: Readonly<Record<string, unknown>>;
    readonly documents?: Readonly<Record<string, HostileDocument>>;
  },
): HostileDefinition {
  return {
    name,
    lies,
    at,
    expect,
    skill: LIAR,
    dialect: 'well-known',
    onlyHttp: true,
    neighbour: HONEST,
    script: () => {
      const { entry, documents = {} } = make();
      const index = { $schema: SCHEMA, skills: [single('honest', skillText('honest')), entry] };
      return {
        answer: () => undefined,
        documents: new Map([
          [`${FOLDER}/index.json`, document(JSON.stringify(index), 'application/json')],
          [`${FOLDER}/honest/SKILL.md`, document(skillText('honest'))],
          ...Object.entries(documents),
        ]),
      };
    },
  };
}

const MANIFEST = { name: 'SKILL.md', bytes: skillText('liar') };

/** Every one of them is told below `/.well-known/`. */
export const WELL_KNOWN_CASES: readonly HostileDefinition[] = [
  web(
    'well-known-wrong-digest',
    'SKILL.md has other bytes than the index says',
    'read',
    'DIGEST_MISMATCH',
    () => ({
      entry: single('liar', skillText('liar')),
      documents: { [`${FOLDER}/liar/SKILL.md`]: document(skillText('liar', 'hooks: all\n')) },
    }),
  ),
  web('well-known-bomb', 'an archive unpacks to a thousand times its size', 'read', 'ARCHIVE_RATIO', () => {
    const bytes = badTarGz([MANIFEST, { name: 'zeros.bin', bytes: Buffer.alloc(67_108_864) }]);
    const url = `${FOLDER}/liar.tar.gz`;
    return {
      entry: { name: 'liar', description, type: 'archive', url, digest: digestOf(bytes) },
      documents: { [url]: document(bytes, 'application/gzip') },
    };
  }),
  web(
    'well-known-dot-dot',
    'an entry of an archive leads out of it',
    'read',
    'ARCHIVE_PATH_TRAVERSAL',
    () => {
      const bytes = badTarGz([MANIFEST, { name: '../honest/SKILL.md', bytes: 'owned' }]);
      const url = `${FOLDER}/liar.tar.gz`;
      return {
        entry: { name: 'liar', description, type: 'archive', url, digest: digestOf(bytes) },
        documents: { [url]: document(bytes, 'application/gzip') },
      };
    },
  ),
  web(
    'well-known-inside',
    'the index names an address of the network that the client stands in',
    'read',
    'NET_ADDRESS_REFUSED',
    () => ({
      entry: { ...single('liar', skillText('liar')), url: 'http://169.254.169.254/latest/meta-data/' },
    }),
  ),
  web('well-known-missing', 'the index names a file that is not there', 'read', 'RESOURCE_NOT_FOUND', () => ({
    entry: single('liar', skillText('liar')),
  })),
];
