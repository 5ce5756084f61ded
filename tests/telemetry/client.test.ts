/** What a client tells of what it does, and that nothing of a skill is among it. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type SkillListing, SkillsClient, type SkillsClientOptions } from '../../src/client/index.ts';
import { createProvider, type ProviderOptions } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { CHANNELS, createTelemetry, type OperationMessage } from '../../src/telemetry/index.ts';
import { linked, type Script, scripted } from '../client/link.ts';
import { recordingLogger } from '../server/support.ts';
import { metering, rowOf, type Tracing, tracing } from './otel-host.ts';

const MARKER = 'MARKER-9b1d';
const FILES = {
  'acme/pdf/SKILL.md': `---\nname: pdf\ndescription: Says ${MARKER}.\nlicense: ${MARKER}\n---\n\n${MARKER} [more](references/forms.md)\n`,
  'acme/pdf/references/forms.md': MARKER,
  'acme/pdf/data.bin': `\u0000${MARKER}`,
};
const URI = 'skill://acme/pdf/SKILL.md';
const PDF_DIGEST = /^sha256:[0-9a-f]{64}$/;

function spansOf(): Tracing {
  const host = tracing();
  onTestFinished(() => host.close());
  return host;
}

function listenToAll(): OperationMessage[] {
  const heard: OperationMessage[] = [];
  const listener = (message: unknown): void => void heard.push(message as OperationMessage);
  for (const name of Object.values(CHANNELS)) {
    subscribe(name, listener);
    onTestFinished(() => void unsubscribe(name, listener));
  }
  return heard;
}

async function open(
  options: SkillsClientOptions,
  provided: Partial<ProviderOptions> = {},
): Promise<SkillsClient> {
  const provider = await createProvider({ source: memorySource(FILES), ...provided });
  onTestFinished(() => provider.close());
  const client = await linked(provider.createServer({ transport: 'stdio' }));
  return new SkillsClient(client, options);
}

describe('the spans of a client', () => {
  it('have the names and attributes of seed 000, reads inside what needs them', async () => {
    const host = spansOf();
    const skills = await open({ tracerProvider: host.provider });
    const index = await skills.readIndex();
    const digest = index.skills[0]?.digest ?? '';
    const manifest = await skills.readSkillManifest(URI);
    await skills.readAndVerify(URI, digest);
    await skills.readAndVerify(URI, '');
    await skills.readSkillFile(manifest, 'references/forms.md');
    await skills.readDirectory('skill://acme/pdf');
    skills.activate(URI, { reason: 'user_requested' });
    skills.activate('skill://acme/pdf/data.bin');
    const byId = new Map(host.spans().map((span) => [span.spanContext().spanId, span.name]));
    const rows = host
      .spans()
      .map((span) => [
        span.name,
        span.attributes,
        byId.get(span.parentSpanContext?.spanId ?? '') ?? null,
        span.kind,
      ]);
    const [internal, client] = [0, 2];
    expect(digest).toMatch(PDF_DIGEST);
    expect(rows).toEqual([
      ['skills.list', { 'mcp.skill.uri': 'skill://index.json', 'mcp.skill.count': '1' }, null, client],
      ['skills.read', { 'mcp.skill.uri': URI }, 'skills.read_manifest', client],
      [
        'skills.read_manifest',
        { 'mcp.skill.uri': URI, 'mcp.skill.path': 'acme/pdf', 'mcp.skill.name': 'pdf' },
        null,
        internal,
      ],
      ['skills.read', { 'mcp.skill.uri': URI }, 'skills.read_and_verify', client],
      [
        'skills.read_and_verify',
        { 'mcp.skill.uri': URI, 'mcp.skill.expected_digest': digest, 'mcp.skill.digest_verified': 'true' },
        null,
        internal,
      ],
      ['skills.read', { 'mcp.skill.uri': URI }, 'skills.read_and_verify', client],
      [
        'skills.read_and_verify',
        { 'mcp.skill.uri': URI, 'mcp.skill.expected_digest': '', 'mcp.skill.digest_verified': 'false' },
        null,
        internal,
      ],
      ['skills.read', { 'mcp.skill.uri': 'skill://acme/pdf/references/forms.md' }, null, client],
      [
        'skills.read_directory',
        { 'mcp.skill.uri': 'skill://acme/pdf', 'mcp.skill.entries': '3' },
        null,
        client,
      ],
      [
        'skills.activate',
        {
          'mcp.skill.uri': URI,
          'mcp.skill.path': 'acme/pdf',
          'mcp.skill.activation.reason': 'user_requested',
        },
        null,
        internal,
      ],
      ['skills.activate', { 'mcp.skill.uri': 'skill://acme/pdf/data.bin' }, null, internal],
    ]);
  });

  it('say when a server has no index', async () => {
    const host = spansOf();
    const { client } = await scripted({ capabilities: { resources: {} }, answer: () => undefined });
    await new SkillsClient(client, { tracerProvider: host.provider }).readIndex();
    expect(host.spans().map((span) => span.attributes)).toEqual([
      { 'mcp.skill.uri': 'skill://index.json', 'mcp.skill.index_absent': 'true' },
    ]);
  });

  it('put their place into the _meta of each request, so that a server continues the trace', async () => {
    const host = spansOf();
    const telemetry = createTelemetry({ tracerProvider: host.provider });
    const skills = await open({ tracerProvider: host.provider }, { telemetry });
    await skills.readSkillManifest(URI);
    const [served, read, manifest] = host.spans();
    expect([served?.name, read?.name, manifest?.name]).toEqual([
      'resources/read',
      'skills.read',
      'skills.read_manifest',
    ]);
    expect(served?.parentSpanContext?.spanId).toBe(read?.spanContext().spanId);
    expect(served?.parentSpanContext?.isRemote).toBe(true);
    expect(read?.parentSpanContext?.spanId).toBe(manifest?.spanContext().spanId);
  });

  it('are not, and nothing is sent, where nobody asked for them', async () => {
    const script: Script = {
      answer: (method) => (method === 'skills/list' ? { skills: [] } : undefined),
    };
    const { client, seen } = await scripted(script);
    await new SkillsClient(client).listSkills();
    expect(seen.length).toBeGreaterThan(0);
    expect(JSON.stringify(seen)).not.toMatch(/traceparent|tracestate|baggage/);
  });

  it('share one timestamp with the hook and the event of an activation', async () => {
    const host = spansOf();
    const told: Date[] = [];
    const skills = await open({
      tracerProvider: host.provider,
      onActivate: ({ timestamp }) => void told.push(timestamp),
    });
    const { timestamp } = skills.activate(URI);
    const [seconds, nanos] = host.spans()[0]?.startTime ?? [0, 0];
    expect(told).toEqual([timestamp]);
    expect(seconds * 1_000 + nanos / 1e6).toBe(timestamp.getTime());
  });

  it('count bytes and operations', async () => {
    const host = metering();
    onTestFinished(() => host.close());
    const skills = await open({ meterProvider: host.provider });
    const bytes = await skills.readSkillUri('skill://acme/pdf/references/forms.md');
    expect(await host.sums()).toEqual({
      'skillwire.operations': [[{ 'skillwire.operation': 'skills.read' }, 1]],
      'skillwire.bytes_read': [[{}, bytes.length]],
    });
  });
});

/** Everything that a host does with a listing; failures are part of it. */
async function useAll(skills: SkillsClient): Promise<{ given: string; failed: number }> {
  const given: unknown[] = [];
  let failed = 0;
  const attempt = async (run: () => Promise<unknown>): Promise<void> => {
    try {
      given.push(await run());
    } catch (error) {
      failed++;
      given.push(error instanceof Error ? error.message : error);
    }
  };
  let listing: SkillListing | undefined;
  await attempt(async () => {
    listing = await skills.listSkills();
    return listing;
  });
  for (const skill of listing?.skills ?? []) {
    await attempt(async () => (await skills.read(skill)).text);
    await attempt(async () =>
      Buffer.from((await skills.read(skill, 'references/forms.md')).bytes).toString(),
    );
    await attempt(async () => Buffer.from((await skills.read(skill, 'data.bin')).bytes).toString());
    await attempt(() => skills.read(skill, `${MARKER}.md`.toLowerCase().replace('marker', 'none')));
  }
  await attempt(() => skills.getSkill(URI));
  await attempt(async () => (await skills.readSkillManifest(URI)).body);
  await attempt(() => skills.readAndVerify(URI, `sha256:${'0'.repeat(64)}`));
  await attempt(() => skills.readDirectory('skill://acme/pdf'));
  await attempt(() => skills.readIndex());
  await attempt(() => skills.loadAll());
  skills.activate(URI);
  return { given: JSON.stringify(given), failed };
}

describe('nothing of a skill is recorded', () => {
  const lies: [string, Script['answer']][] = [
    ['errors that quote it', () => ({ error: { code: -32603, message: `${MARKER} is what I am` } })],
    [
      'frontmatter that differs',
      (method, { uri }) => {
        const entry = {
          uri: URI,
          frontmatter: { name: 'pdf', description: `${MARKER} one` },
          resources: [{ uri: URI, digest: `sha256:${'0'.repeat(64)}`, size: 10 }],
        };
        if (method === 'skills/list') return { skills: [entry] };
        if (method === 'skills/get') return { skill: entry };
        const text = `---\nname: pdf\ndescription: ${MARKER} two\n---\n`;
        return method === 'resources/read' ? { contents: [{ uri, text }] } : undefined;
      },
    ],
    [
      'YAML that is broken',
      (method, { uri }) =>
        method === 'resources/read'
          ? { contents: [{ uri, text: `---\nname: [${MARKER}\n---\n` }] }
          : method === 'skills/list'
            ? { skills: [{ uri: URI, frontmatter: MARKER, resources: MARKER }] }
            : { skill: MARKER },
    ],
  ];

  it.each<[string, Partial<ProviderOptions>]>([
    ['released', {}],
    ['draft-index', { dialects: ['draft-index'] }],
    ['draft-index with archives', { dialects: ['draft-index'], archive: 'tar.gz' }],
    ['fastmcp', { dialects: ['fastmcp'] }],
  ])('%s', async (_, provided) => {
    const heard = listenToAll();
    const host = spansOf();
    const { logger, lines } = recordingLogger();
    const skills = await open({ tracerProvider: host.provider, logger }, provided);
    const { given } = await useAll(skills);
    expect(given).toContain(MARKER);
    expect(heard.length).toBeGreaterThan(10);
    expect(host.spans().length).toBeGreaterThan(5);
    expect(JSON.stringify([heard, host.spans().map(rowOf), lines])).not.toContain(MARKER);
  });

  it.each(lies)('a server with %s', async (_, answer) => {
    const heard = listenToAll();
    const host = spansOf();
    const { logger, lines } = recordingLogger();
    const { client } = await scripted({ answer });
    const { failed } = await useAll(new SkillsClient(client, { tracerProvider: host.provider, logger }));
    expect(failed).toBeGreaterThan(2);
    expect(heard.length).toBeGreaterThan(3);
    expect(JSON.stringify([heard, host.spans().map(rowOf), lines])).not.toContain(MARKER);
  });
});
