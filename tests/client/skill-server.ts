import { createHash } from 'node:crypto';
import type { JsonRecord } from '../../src/client/json-record.ts';
import type { Answer, Script } from './link.ts';

export const sha256 = (text: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(text).digest('hex')}`;

export const manifestText = (name: string, body = 'Body.\n'): string =>
  `---\nname: ${name}\ndescription: About ${name}\n---\n\n${body}`;

/** Text files by URI. */
export type Files = Readonly<Record<string, string>>;

export const PDF: Files = {
  'skill://pdf/SKILL.md': manifestText('pdf'),
  'skill://pdf/references/a.md': 'reference a\n',
  'skill://pdf/how%20to.md': 'how to\n',
};

export const resource = (uri: string, text: string): JsonRecord => ({
  uri,
  digest: sha256(text),
  size: Buffer.byteLength(text),
});

/** The honest entry of a skill. */
export function entryOf(name: string, files: Files): JsonRecord {
  return {
    uri: `skill://${name}/SKILL.md`,
    frontmatter: { name, description: `About ${name}` },
    resources: Object.entries(files).map(([uri, text]) => resource(uri, text)),
  };
}

export const contents = (uri: string, text: string, more: JsonRecord = {}): JsonRecord => ({
  contents: [{ uri, mimeType: 'text/markdown', text, ...more }],
});

export const notFound = (uri: unknown): Answer => ({
  error: { code: -32602, message: `Resource not found: ${String(uri)}` },
});

/** A released server of one skill, honest but for what `lies` says: by method, or by method and URI. */
export function skillServer(
  files: Files,
  entry: JsonRecord,
  lies: Readonly<Record<string, Answer | ((params: JsonRecord, times: number) => Answer | undefined)>> = {},
): Script {
  const times = new Map<string, number>();
  return {
    answer(method, params) {
      for (const key of [`${method} ${String(params.uri)}`, method]) {
        const lie = lies[key];
        if (lie === undefined) continue;
        times.set(key, (times.get(key) ?? 0) + 1);
        return typeof lie === 'function' ? lie(params, times.get(key) ?? 0) : lie;
      }
      if (method === 'skills/list') return { skills: [entry] };
      if (method === 'skills/get') return params.uri === entry.uri ? { skill: entry } : notFound(params.uri);
      if (method !== 'resources/read') return undefined;
      const text = files[String(params.uri)];
      return text === undefined ? notFound(params.uri) : contents(String(params.uri), text);
    },
  };
}
