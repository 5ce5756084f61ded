import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  completePrompt,
  completesPrompts,
  getPrompt,
  openPrompts,
  PROMPT_DOCUMENT_TEMPLATE,
  PROMPT_RECORD_TEMPLATE,
  PROMPTS_INDEX_TEMPLATE,
  type Prompt,
  promptDefinitions,
  renderPrompt,
} from '../../src/prompts/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { codeOf } from '../uri/code-of.ts';

const TRANSLATE = `---
title: Translate
description: Translate a text
tags: [language, Writing]
arguments:
  - name: text
    description: What to translate
    required: true
  - name: language
    values: [French, Finnish, German]
  - name: constructor
---
Into {{language}}: {{text}}{{constructor}} {{text}}
`;
const { snapshot } = await openPrompts(
  memorySource({
    'translate.md': TRANSLATE,
    'a.md': '---\ndescription: A\n---\nA\n',
    'b-2.md': '---\ndescription: B\ntags: [writing]\n---\nB\n',
  }),
);
const text = (name: string, values?: Record<string, string>): string =>
  getPrompt(snapshot, { name, ...(values && { arguments: values }) }).messages[0].content.text;

describe('prompts/list', () => {
  test('shows names in order, with their arguments', () => {
    expect(promptDefinitions(snapshot)).toEqual([
      { name: 'a', description: 'A', arguments: [] },
      { name: 'b-2', description: 'B', arguments: [] },
      {
        name: 'translate',
        title: 'Translate',
        description: 'Translate a text',
        arguments: [
          { name: 'text', description: 'What to translate', required: true },
          { name: 'language', required: false },
          { name: 'constructor', required: false },
        ],
      },
    ]);
    expect(promptDefinitions(snapshot)).toBe(promptDefinitions(snapshot));
  });
});

describe('prompts/get', () => {
  test('is one message of the user', () => {
    expect(getPrompt(snapshot, { name: 'a' })).toEqual({
      description: 'A',
      messages: [{ role: 'user', content: { type: 'text', text: 'A\n' } }],
    });
  });

  test('fills in every place, and what is not given is empty', () => {
    expect(text('translate', { text: 'hi', language: 'French', other: 'x' })).toBe('Into French: hi hi\n');
    expect(text('translate', { text: '' })).toBe('Into :  \n');
    expect(text('translate', { text: '$& $1 {{language}} {{text}}', language: '{{text}}' })).toBe(
      'Into {{text}}: $& $1 {{language}} {{text}} $& $1 {{language}} {{text}}\n',
    );
  });

  test.each([
    [{ name: 'translate' }, 'the prompt "translate" needs a value for "text"'],
    [{ name: 'translate', arguments: {} }, 'the prompt "translate" needs a value for "text"'],
    [{ name: 'nope' }, 'no such prompt: "nope"; prompts/list names them'],
    [{ name: '__proto__' }, 'no such prompt: "__proto__"; prompts/list names them'],
    [{ name: 'A' }, 'no such prompt: "A"; prompts/list names them'],
    [{ name: undefined }, 'name must be a string: the name of a prompt'],
    [{ name: 'translate', arguments: { text: 1 } }, 'the value of the argument "text" must be a string'],
    [{ name: 'a', arguments: { other: null } }, 'the value of the argument "other" must be a string'],
    [{ name: 'a', arguments: [] }, 'arguments must be an object whose values are strings'],
    [{ name: 'a', arguments: null }, 'arguments must be an object whose values are strings'],
  ])('refuses %j', (request, message) => {
    expect(() => getPrompt(snapshot, request)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', rpcCode: -32602, message }),
    );
  });

  test('ends where a short request would make a huge text', () => {
    const value = 'x'.repeat(100);
    expect(
      codeOf(() =>
        getPrompt(snapshot, { name: 'translate', arguments: { text: value } }, { maxLength: 206 }),
      ),
    ).toBe('RESPONSE_TOO_LARGE');
    expect(
      getPrompt(snapshot, { name: 'translate', arguments: { text: value } }, { maxLength: 209 }).messages[0]
        .content.text,
    ).toHaveLength(209);
  });

  test('replaces in a single pass', () => {
    const piece = fc.constantFrom('{{a}}', '{{b}}', '{', '}', 'a', '{{', '}}', ' ', '\n', '{{ a }}', 'é');
    const value = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 15 }), value, value, (pieces, a, b) => {
        const prompt: Prompt = {
          id: 'p',
          description: 'd',
          tags: [],
          arguments: [
            { name: 'a', required: true },
            { name: 'b', required: false },
          ],
          document: '',
          body: pieces.join(''),
          path: 'p.md',
        };
        const wanted = pieces
          .join('')
          .split(/(\{\{[ab]\}\})/)
          .map((part) => (part === '{{a}}' ? a : part === '{{b}}' ? b : part))
          .join('');
        expect(renderPrompt(prompt, { a, b })).toBe(wanted);
      }),
    );
  });
});

describe('completion', () => {
  const complete = (ref: object, name: string, value: string): readonly string[] =>
    completePrompt(snapshot, { ref: ref as { type: string }, argument: { name, value } }).completion.values;
  const prompt = { type: 'ref/prompt', name: 'translate' };
  const template = (uri: string): object => ({ type: 'ref/resource', uri });

  test.each<[object, string, string, readonly string[]]>([
    [prompt, 'language', '', ['French', 'Finnish', 'German']],
    [prompt, 'language', 'f', ['French', 'Finnish']],
    [prompt, 'language', 'x', []],
    [prompt, 'text', '', []],
    [template(PROMPT_RECORD_TEMPLATE), 'prompt_id', '', ['a', 'b-2', 'translate']],
    [template(PROMPT_DOCUMENT_TEMPLATE), 'prompt_id', 'B', ['b-2']],
    [template(PROMPTS_INDEX_TEMPLATE), 'tag', '', ['Writing', 'language', 'writing']],
    [template(PROMPTS_INDEX_TEMPLATE), 'tag', 'w', ['Writing', 'writing']],
    [template(PROMPTS_INDEX_TEMPLATE), 'q', 'a', []],
    [template(PROMPTS_INDEX_TEMPLATE), 'limit', '', []],
  ])('of %j, %s, %j', (ref, name, value, wanted) => {
    expect(complete(ref, name, value)).toEqual(wanted);
  });

  test.each([
    [{ type: 'ref/prompt', name: 'nope' }, 'text'],
    [{ type: 'ref/prompt' }, 'text'],
    [prompt, 'nope'],
    [template(PROMPT_RECORD_TEMPLATE), 'id'],
    [template('resource://other/{x}'), 'x'],
  ])('refuses %j %s', (ref, name) => {
    expect(codeOf(() => complete(ref, name, ''))).toBe('INVALID_REQUEST');
  });

  test('is asked for only where it can answer', () => {
    expect(completesPrompts({ type: 'ref/prompt', name: 'x' })).toBe(true);
    expect(completesPrompts({ type: 'ref/resource', uri: PROMPTS_INDEX_TEMPLATE })).toBe(true);
    expect(completesPrompts({ type: 'ref/resource', uri: 'skill://{+path}' })).toBe(false);
  });

  test('gives a hundred values and the number of all', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`p${at}.md`, '---\ndescription: d\n---\nx\n']),
    );
    const many = await openPrompts(memorySource(files));
    const { completion } = completePrompt(many.snapshot, {
      ref: { type: 'ref/resource', uri: PROMPT_RECORD_TEMPLATE },
      argument: { name: 'prompt_id', value: 'p' },
    });
    expect(completion).toMatchObject({ total: 150, hasMore: true });
    expect(completion.values).toHaveLength(100);
  });
});
