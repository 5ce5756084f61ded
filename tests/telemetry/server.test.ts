/** What a provider tells of the requests that it answers, over each transport and revision. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createProvider, type ProviderOptions, type SkillProvider } from '../../src/server/index.ts';
import { directorySource, memorySource } from '../../src/source/index.ts';
import { createTelemetry, type OperationMessage } from '../../src/telemetry/index.ts';
import { inSession, JSON_HEADERS, openSession, send, start } from '../http/harness.ts';
import { linkProvider, linkServer, REVISIONS } from '../server/link.ts';
import { recordingLogger } from '../server/support.ts';
import { rowOf, type Tracing, tracing } from './otel-host.ts';

const MARKER = 'MARKER-9b1d';
const FILES = {
  'pdf/SKILL.md': `---\nname: pdf\ndescription: Says ${MARKER}.\nlicense: ${MARKER}\n---\n\n${MARKER}\n`,
  'pdf/references/forms.md': MARKER,
  'pdf/data.bin': `\u0000${MARKER}`,
  'broken/SKILL.md': `---\nname: broken\ndescription: [${MARKER}\n---\n`,
  'twice/SKILL.md': `---\nname: twice\nname: ${MARKER}\ndescription: x\n---\n`,
  'open/SKILL.md': `---\nname: open\n${MARKER}`,
};
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

function spansOf(): Tracing {
  const host = tracing();
  onTestFinished(() => host.close());
  return host;
}

async function provide(options: Partial<ProviderOptions> = {}): Promise<SkillProvider> {
  const provider = await createProvider({ source: memorySource(FILES), ...options });
  onTestFinished(() => provider.close());
  return provider;
}

function listen(): OperationMessage[] {
  const heard: OperationMessage[] = [];
  const listener = (message: unknown): void => void heard.push(message as OperationMessage);
  subscribe('skillwire:server.request', listener);
  onTestFinished(() => void unsubscribe('skillwire:server.request', listener));
  return heard;
}

describe.each(REVISIONS)('a server of %s', (revision) => {
  it('has a span for each request, in the trace of who asked', async () => {
    const host = spansOf();
    const provider = await provide({ telemetry: createTelemetry({ tracerProvider: host.provider }) });
    const link = await linkProvider(provider, revision);
    onTestFinished(() => link.close());
    const uri = 'skill://pdf/SKILL.md';
    await link.client.readResource({ uri, _meta: { traceparent: TRACEPARENT } });
    await link.ask('resources/read', { uri: 'skill://pdf/none.md' });
    await link.ask('skills/list', {});
    const rows = host.spans().map((span) => [span.name, span.attributes, span.parentSpanContext?.traceId]);
    expect(rows).toEqual([
      [
        'resources/read',
        {
          'mcp.method': 'resources/read',
          'mcp.resource.uri': uri,
          'mcp.skill.uri': uri,
          'mcp.skill.path': 'pdf',
          'mcp.skill.file': 'SKILL.md',
        },
        TRACE,
      ],
      [
        'resources/read',
        {
          'mcp.method': 'resources/read',
          'mcp.resource.uri': 'skill://pdf/none.md',
          'mcp.skill.uri': 'skill://pdf/none.md',
          'mcp.error.code': '-32602',
          'error.type': '-32602',
        },
        undefined,
      ],
      ['skills/list', { 'mcp.method': 'skills/list' }, undefined],
    ]);
  });
});

describe('a server', () => {
  it('that is the caller’s own tells what skills answer', async () => {
    const heard = listen();
    const provider = await provide();
    const link = await linkServer(() => {
      const mcp = new McpServer({ name: 'caller', version: '1.0.0' });
      provider.attach(mcp);
      return mcp;
    }, '2025-11-25');
    onTestFinished(() => link.close());
    await link.ask('skills/get', { uri: 'skill://pdf/SKILL.md' });
    await link.ask('resources/subscribe', { uri: 'skill://pdf/SKILL.md' });
    expect(heard.map(({ operation, error }) => [operation, error])).toEqual([
      ['skills/get', undefined],
      ['resources/subscribe', undefined],
    ]);
  });

  it('over HTTP tells once what is answered the short way, and once what is not', async () => {
    const host = spansOf();
    const root = mkdtempSync(join(tmpdir(), 'skillwire-telemetry-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, 'pdf'));
    writeFileSync(join(root, 'pdf', 'SKILL.md'), FILES['pdf/SKILL.md']);
    utimesSync(join(root, 'pdf', 'SKILL.md'), 1_700_000_000, 1_700_000_000);
    const telemetry = createTelemetry({ tracerProvider: host.provider });
    const provider = await provide({ source: directorySource(root), telemetry });
    const servers = vi.spyOn(provider, 'createServer');
    const { port } = await start({ provider });
    const read = async (uri: string): Promise<number> => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
        traceparent: TRACEPARENT,
      };
      const answer = await send(port, {
        headers: {
          ...JSON_HEADERS,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'resources/read',
          'mcp-name': uri,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri, _meta } }),
      });
      return answer.json.error?.code ?? answer.status;
    };
    expect(await read('skill://pdf/SKILL.md')).toBe(200);
    expect(await read('skill://pdf/SKILL.md')).toBe(200);
    expect(await read('skill://pdf/none.md')).toBe(-32602);
    const spans = host.spans();
    expect(spans.map((span) => [span.name, span.attributes['mcp.error.code']])).toEqual([
      ['resources/read', undefined],
      ['resources/read', undefined],
      ['resources/read', '-32602'],
    ]);
    expect(spans.map((span) => span.spanContext().traceId)).toEqual([TRACE, TRACE, TRACE]);
    for (const { startTime, endTime } of spans) {
      const [start, end] = [startTime, endTime].map(([seconds, nanos]) => seconds * 1e9 + nanos);
      expect(end).toBeGreaterThanOrEqual(start as number);
    }
    expect(servers).toHaveBeenCalledTimes(1); // for the one that failed
  });

  it('names the session of a client that has one', async () => {
    const host = spansOf();
    const provider = await provide({ telemetry: createTelemetry({ tracerProvider: host.provider }) });
    const { port } = await start({ provider });
    const session = await openSession(port);
    await inSession(port, session, { jsonrpc: '2.0', id: 1, method: 'skills/list', params: {} });
    expect(host.spans().map(({ attributes }) => attributes)).toEqual([
      { 'mcp.method': 'skills/list', 'mcp.session.id': session },
    ]);
  });

  it('says nothing of what a skill holds, on channels, in spans or to its logger', async () => {
    const heard = listen();
    const host = spansOf();
    const { logger, lines } = recordingLogger();
    const provider = await provide({ telemetry: createTelemetry({ tracerProvider: host.provider }), logger });
    const link = await linkProvider(provider, '2026-07-28');
    onTestFinished(() => link.close());
    const said: string[] = [];
    for (const [method, params] of [
      ['skills/list', {}],
      ['skills/get', { uri: 'skill://pdf/SKILL.md' }],
      ['skills/get', { uri: 'skill://broken/SKILL.md' }],
      ['resources/list', {}],
      ['resources/read', { uri: 'skill://index.json' }],
      ['resources/read', { uri: 'skill://pdf/SKILL.md' }],
      ['resources/read', { uri: 'skill://pdf/references/forms.md' }],
      ['resources/read', { uri: 'skill://pdf/data.bin' }],
      ['resources/directory/read', { uri: 'skill://pdf' }],
      ['resources/directory/read', { uri: 'skill://pdf/SKILL.md' }],
      ['resources/templates/list', {}],
    ] as const) {
      said.push(JSON.stringify(await link.ask(method, params)));
    }
    await provider.refresh();
    expect(said.join('')).toContain(MARKER);
    expect(heard).toHaveLength(11);
    expect(host.spans()).toHaveLength(11);
    expect(JSON.stringify([heard, host.spans().map(rowOf), lines])).not.toContain(MARKER);
  });
});
