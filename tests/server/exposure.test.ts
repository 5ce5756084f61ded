/** Which client is shown what, request by request. */
import { Server, type ServerContext } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { type Exposure, exposureOf, handlersFor, isShownTo } from '../../src/server/exposure.ts';
import type { SkillMethod } from '../../src/server/handlers.ts';
import type { WireHandler } from '../../src/server/register.ts';

const ID = 'io.modelcontextprotocol/skills';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const EXPOSURE: Exposure = { tools: true, prompts: true, to: 'clients-without-skills' };
const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });

function contextOf(envelope: unknown): ServerContext {
  return { mcpReq: { envelope } } as unknown as ServerContext;
}
function handlers(says: string): ReadonlyMap<SkillMethod, WireHandler> {
  const methods: SkillMethod[] = [
    'tools/list',
    'prompts/get',
    'completion/complete',
    'resources/read',
    'skills/list',
  ];
  return new Map(methods.map((method) => [method, async () => ({ says })]));
}
const both = { shown: handlers('shown'), withheld: handlers('withheld') };

describe('a modern request', () => {
  it.each([
    [{ extensions: { [ID]: {} } }, false],
    [{ extensions: { [ID]: { directoryRead: true } } }, false],
    [{ extensions: { [ID]: null } }, true],
    [{ extensions: { other: {} } }, true],
    [{ extensions: [] }, true],
    [{ extensions: null }, true],
    [{ experimental: { [ID]: {} } }, true],
    [{}, true],
    [null, true],
    ['text', true],
    [undefined, true],
  ])('with the capabilities %j is shown it: %s', async (capabilities, shown) => {
    const context = contextOf({ [CAPABILITIES]: capabilities });
    expect(isShownTo(server, EXPOSURE, context)).toBe(shown);
    const answer = await handlersFor(server, EXPOSURE, both).get('tools/list')?.({}, context);
    expect(answer).toEqual({ says: shown ? 'shown' : 'withheld' });
  });

  it('each decides for itself, on one server', async () => {
    const list = handlersFor(server, EXPOSURE, both).get('tools/list');
    const reads = contextOf({ [CAPABILITIES]: { extensions: { [ID]: {} } } });
    const plain = contextOf({ [CAPABILITIES]: {} });
    const said = await Promise.all([list?.({}, reads), list?.({}, plain), list?.({}, reads)]);
    expect(said).toEqual([{ says: 'withheld' }, { says: 'shown' }, { says: 'withheld' }]);
  });
});

describe('handlersFor', () => {
  const reads = contextOf({ [CAPABILITIES]: { extensions: { [ID]: {} } } });
  it.each([
    ['prompts/get', 'withheld'],
    ['completion/complete', 'withheld'],
    ['resources/read', 'shown'],
    ['skills/list', 'shown'],
  ] as const)('%s of a client that reads skills: %s', async (method, says) => {
    expect(await handlersFor(server, EXPOSURE, both).get(method)?.({}, reads)).toEqual({ says });
  });

  it.each([
    { tools: true, prompts: false, to: 'all' },
    { tools: false, prompts: false, to: 'clients-without-skills' },
  ] as const)('asks nobody where nothing depends on it: %j', (exposure) => {
    expect(handlersFor(server, exposure, both)).toBe(both.shown);
  });
});

describe('a 2025-era request', () => {
  it('of a client that has said nothing is shown it', () => {
    expect(isShownTo(server, EXPOSURE, contextOf(undefined))).toBe(true);
  });
});

describe('exposureOf', () => {
  it.each([
    [{}, { tools: false, prompts: false, to: 'clients-without-skills' }],
    [{ expose: [] }, { tools: false, prompts: false, to: 'clients-without-skills' }],
    [
      { expose: ['prompts', 'tools', 'tools'], exposeTo: 'all' },
      { tools: true, prompts: true, to: 'all' },
    ],
    [
      { expose: ['tools'], instructions: 'x'.repeat(2_000) },
      { tools: true, prompts: false, to: 'clients-without-skills' },
    ],
  ] as const)('%#', (options, expected) => expect(exposureOf(options)).toEqual(expected));
});
