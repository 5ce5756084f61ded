import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import {
  type Docs,
  encodeOffset,
  getPrompt,
  isDocUri,
  openDocs,
  openPrompts,
  type PromptRegistry,
  promptDefinitions,
  readDoc,
  readPromptResource,
  uriTemplate,
} from '../../src/prompts/index.ts';
import { memorySource } from '../../src/source/index.ts';

interface Vector {
  readonly area: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expect: unknown;
}

const { registry: FILES, vectors } = JSON.parse(
  readFileSync(new URL('../vectors/prompts.json', import.meta.url), 'utf8'),
) as { registry: Record<string, string>; vectors: readonly Vector[] };
const deviations = readFileSync(new URL('../../docs/reference/deviations.md', import.meta.url), 'utf8');

const of = (area: string): readonly Vector[] => vectors.filter((vector) => vector.area === area);
const below = (files: Record<string, string>, folder: string): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path.slice(folder.length), text]));

/** Whether a line of `deviations.md` names the case. */
function isTold(area: string, name: string): boolean {
  return deviations.split('\n').some((line) => line.startsWith(`| ${area} |`) && line.includes(name));
}

let prompts: PromptRegistry;
let docs: Docs;

beforeAll(async () => {
  prompts = await openPrompts(memorySource(below(FILES, 'prompts/')));
  const [first] = of('contract.docs');
  docs = await openDocs(memorySource(below(first?.input.tree as Record<string, string>, 'docs/')));
});
afterAll(async () => {
  await prompts.close();
  await docs.close();
});

/** What a server answers: the contents, or the error as it goes over the wire. */
async function read(uri: string): Promise<unknown> {
  try {
    return {
      contents: [isDocUri(uri) ? await readDoc(docs, uri) : readPromptResource(prompts.snapshot, uri)],
    };
  } catch (error) {
    return wireError(error);
  }
}

function wireError(error: unknown): unknown {
  if (!isSkillError(error)) throw error;
  const { uri } = error.details;
  return { error: { code: error.rpcCode, ...(uri !== undefined && { data: { uri } }) } };
}

test('are all here', () => {
  expect(vectors).toHaveLength(101);
});

describe('contract', () => {
  test.each(of('contract.prompts_index').concat(of('contract.prompt_record')))(
    '$area: $name',
    async ({ input, expect: wanted }) => {
      const answer = (await read((input.params as { uri: string }).uri)) as {
        contents?: [{ text: string; mimeType: string }];
      };
      const [contents] = answer.contents ?? [];
      if (contents !== undefined) {
        expect(JSON.parse(contents.text)).toEqual(wanted);
        expect(contents.mimeType).toBe('application/json');
        expect(contents.text).toBe(JSON.stringify(wanted, null, 2));
      } else expect(answer).toEqual(wanted);
    },
  );

  test.each(of('contract.prompt_document'))('document: $name', async ({ input, expect: wanted }) => {
    expect(await read((input.params as { uri: string }).uri)).toEqual(wanted);
  });

  test.each(of('contract.prompts_get'))('prompts/get: $name', ({ input, expect: wanted }) => {
    let answer: unknown;
    try {
      answer = getPrompt(prompts.snapshot, input.params as { name: string });
    } catch (error) {
      answer = wireError(error);
    }
    expect(answer).toEqual(wanted);
  });

  test.each(of('contract.docs'))('docs: $name', async ({ input, expect: wanted }) => {
    const uri = input.uri as string;
    const answer = (await read(uri)) as { contents?: [object] };
    const [contents] = answer.contents ?? [];
    expect(contents ?? answer).toEqual(contents === undefined ? wanted : { uri, ...(wanted as object) });
  });
});

describe('templates', () => {
  /** Bad escapes and bytes that are not UTF-8 are no URI (decision 4). */
  const OURS: Readonly<Record<string, unknown>> = {
    'skill://demo/{path*} <- skill://demo/a%ZZ': null,
    'skill://demo/{path*} <- skill://demo/%ff': null,
  };

  test.each(of('uri_template.match'))('$name', ({ name, input, expect: wanted }) => {
    const found = uriTemplate(input.template as string).match(input.uri as string) ?? null;
    const deviates = Object.hasOwn(OURS, name);
    expect(found).toEqual(deviates ? OURS[name] : wanted);
    if (deviates) expect(isTold('uri_template.match', input.uri as string)).toBe(true);
  });

  test.each(of('uri_template.expand'))('expand $name', ({ input, expect: wanted }) => {
    const template = uriTemplate(input.template as string);
    expect(template.expand(input.params as Record<string, string | number>)).toBe(wanted);
  });

  test.each(of('pagination.cursor'))('$name', ({ input, expect: wanted }) => {
    const { offset, page } = input as { offset: number; page: number };
    expect(encodeOffset(offset + page)).toBe(wanted);
  });
});

describe('routing', () => {
  const INVALID = { error: { code: -32602 } };
  const notFound = (uri: string): unknown => ({ error: { code: -32602, data: { uri } } });
  /** Where the contract, which stands above the handlers that only echo, says another thing. */
  const OURS: Readonly<Record<string, unknown>> = {
    'resource://catalog/prompts_index?limit=abc': INVALID,
    'resource://catalog/prompts_index?limit=': INVALID,
    'resource://catalog/prompts_index?limit=-1': INVALID,
    'resource://catalog/prompts/a%2Fb': notFound('resource://catalog/prompts/a%2Fb'),
    'resource://docs/a/../b.md': notFound('resource://docs/a/../b.md'),
    'resource://docs/a.md?x=1': notFound('resource://docs/a.md?x=1'),
  };

  test.each(of('catalog.routing'))('$name', async ({ name, expect: wanted }) => {
    const answer = await read(name);
    if (Object.hasOwn(OURS, name)) {
      expect(answer).toEqual(OURS[name]);
      expect(isTold('catalog.routing', name)).toBe(true);
      return;
    }
    const { error, result } = wanted as {
      error?: { code: number; data?: object };
      result?: { contents: [{ mimeType: string; uri: string }] };
    };
    if (error !== undefined) {
      expect(answer).toEqual({ error: { code: error.code, data: error.data } });
      return;
    }
    // The recorded handlers echo their parameters, so only the place and the type can be compared.
    const [contents] = (answer as { contents: [{ mimeType: string; uri: string; text: string }] }).contents;
    expect({ uri: contents.uri, mimeType: contents.mimeType }).toEqual({
      uri: result?.contents[0].uri,
      mimeType: result?.contents[0].mimeType,
    });
  });
});

describe('prompts on the wire', () => {
  const GREET = [
    '---',
    'description: Greet someone.',
    'arguments:',
    '  - { name: name, required: true }',
    '  - { name: tone }',
    '  - { name: n }',
    '---',
    'Hi {{name}} {{tone}} {{n}}',
  ].join('\n');

  test.each(of('prompts.wire'))('$name', async ({ name, input, expect: wanted }) => {
    const { snapshot } = await openPrompts(memorySource({ 'greet.md': GREET }));
    if (name === 'prompts/list') {
      const [{ _meta, ...peer }] = (wanted as { prompts: [Record<string, unknown>] }).prompts;
      const declared = (peer.arguments as { name: string; required: boolean }[]).map(
        ({ name: argument, required }) => ({ name: argument, required }),
      );
      expect(promptDefinitions(snapshot)).toEqual([{ ...peer, arguments: declared }]);
      expect(_meta).toBeDefined();
      expect(isTold('prompts.wire', 'prompts/list')).toBe(true);
      return;
    }
    const params = input.params as { name: string; arguments?: Record<string, string> };
    if (params.arguments?.name === undefined) {
      expect(() => getPrompt(snapshot, params)).toThrow(expect.objectContaining({ rpcCode: -32602 }));
      expect(isTold('prompts.wire', 'missing required argument')).toBe(true);
      return;
    }
    // FastMCP fills in the defaults of the function behind the prompt; a prompt in a file has none.
    const values = { tone: 'warm', n: '1', ...params.arguments };
    expect({ result: getPrompt(snapshot, { ...params, arguments: values }) }).toEqual(wanted);
  });
});
