/**
 * A server of the released form, right but for what a case says otherwise.
 *
 * @module
 */
import {
  type HostileAnswer,
  type HostileCase,
  type HostileDefinition,
  type HostileRequest,
  type HostileScript,
  RpcError,
} from './hostile-case.ts';
import { HONEST, LIAR, type Liar, rightSkill } from './liar.ts';

/** Answers a method in place of the right server; undefined: the right one does. */
export type Override = (request: HostileRequest) => HostileAnswer | Promise<HostileAnswer> | undefined;

/** The server with `liars` beside the honest skill. */
export function releasedScript(liars: readonly Liar[], override: Override = () => undefined): HostileScript {
  const skills = [rightSkill('honest'), ...liars];
  return {
    extension: { directoryRead: true },
    answer: (request) => override(request) ?? rightAnswer(skills, request),
  };
}

function rightAnswer(skills: readonly Liar[], { method, params }: HostileRequest): HostileAnswer | undefined {
  const { uri } = params;
  switch (method) {
    case 'skills/list':
      return { skills: skills.map(({ entry }) => entry) };
    case 'skills/get':
      return { skill: found(skills.find(({ entry }) => entry.uri === uri)?.entry, uri) };
    case 'resources/read':
      return found(readIn(skills, uri), uri);
    case 'resources/directory/read':
      return { resources: childrenOf(skills, uri) };
    case 'resources/list':
      return { resources: skills.map(({ entry }) => ({ uri: entry.uri, name: 'SKILL.md' })) };
    case 'resources/templates/list':
      return { resourceTemplates: [] };
    default:
      return undefined;
  }
}

function readIn(skills: readonly Liar[], uri: unknown): HostileAnswer | undefined {
  for (const { answers } of skills) {
    const answer = answers.get(String(uri));
    if (answer !== undefined) return answer;
  }
  return undefined;
}

function childrenOf(skills: readonly Liar[], uri: unknown): readonly HostileAnswer[] {
  const root = `${String(uri).replace(/\/$/, '')}/`;
  const names = new Map<string, boolean>();
  for (const { answers } of skills) {
    for (const file of answers.keys()) {
      if (!file.startsWith(root)) continue;
      const [name = '', ...deeper] = file.slice(root.length).split('/');
      names.set(name, deeper.length > 0);
    }
  }
  return [...names].map(([name, isFolder]) => ({
    uri: root + name,
    name,
    ...(isFolder ? { mimeType: 'inode/directory' } : {}),
  }));
}

function found<T>(value: T | undefined, uri: unknown): T {
  if (value !== undefined) return value;
  throw new RpcError(-32602, 'Resource not found', { uri });
}

/** What a case of a released server states; the rest is the same for most. */
export interface ReleasedCase extends Pick<HostileCase, 'name' | 'lies' | 'at' | 'expect'> {
  /** Null: the lie is about the server as a whole. @default the liar's */
  readonly skill?: string | null;
  readonly file?: string;
  readonly onlyHttp?: boolean;
  /** Nothing of the server can be used. @default false */
  readonly alone?: boolean;
  /** Makes the liar's skill wrong; what it returns answers in place of the right server. */
  readonly lie: (liar: Liar) => Override | undefined;
  readonly drips?: string;
}

/** A case of a server that declares the extension, with an honest skill and one that is not. */
export function released(given: ReleasedCase): HostileDefinition {
  const { name, lies, at, expect, skill = LIAR, file, onlyHttp = false, alone = false, lie, drips } = given;
  return {
    name,
    lies,
    at,
    expect,
    ...(skill === null ? {} : { skill }),
    ...(file === undefined ? {} : { file }),
    dialect: 'released',
    onlyHttp,
    ...(alone ? {} : { neighbour: HONEST }),
    script: () => {
      const liar = rightSkill('liar');
      const override = lie(liar);
      const script = releasedScript([liar], override);
      return drips === undefined ? script : { ...script, drips };
    },
  };
}
