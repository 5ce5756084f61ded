import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { folderWith, run, type Started, skillText, start, stopAll } from './program.ts';

const INDEX = '/.well-known/agent-skills/index.json';
const OLDER = '/.well-known/skills/index.json';

const folders: ReturnType<typeof folderWith>[] = [];
function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const made = folderWith(files);
  folders.push(made);
  return made.path;
}
afterEach(async () => {
  await stopAll();
  for (const made of folders.splice(0)) made.remove();
});
afterAll(stopAll);

async function listening(started: Started): Promise<string> {
  const [, url = ''] = await started.until(/^skillwire listening on (http:\/\/\S+\/mcp)$/m);
  return url;
}

interface Document {
  readonly skills: readonly {
    readonly name: string;
    readonly type?: string;
    readonly files?: readonly string[];
  }[];
}

async function documentAt(url: string, path: string): Promise<Document> {
  return (await (await fetch(new URL(path, url))).json()) as Document;
}

describe('serve --http at /.well-known', () => {
  it('serves both indexes, and says what they leave out', async () => {
    const path = folder({
      'pdf/SKILL.md': skillText('pdf'),
      'pdf/forms.md': 'forms',
      'old/pdf/SKILL.md': skillText('pdf'),
    });
    const started = start(['serve', path, '--http', '0']);
    const url = await listening(started);
    const index = await documentAt(url, INDEX);
    expect(index.skills.map(({ name, type }) => [name, type])).toEqual([['pdf', 'archive']]);
    const older = await documentAt(url, OLDER);
    expect(older.skills[0]?.files).toEqual(['SKILL.md', 'forms.md']);
    await started.until(/WELL_KNOWN_LEFT_OUT: the well-known indexes leave out 1 skill: skill:\/\/old\/pdf/);
  });

  it('wants the token, unless --public-well-known opens these paths alone', async () => {
    const path = folder({ 'pdf/SKILL.md': skillText('pdf') });
    const env = { SKILLWIRE_TOKEN: 's3cret' };
    const closed = await listening(start(['serve', path, '--http', '0'], { env }));
    expect((await fetch(new URL(INDEX, closed))).status).toBe(401);
    const open = await listening(start(['serve', path, '--http', '0', '--public-well-known'], { env }));
    const answer = await fetch(new URL(INDEX, open), { headers: { origin: 'https://page.example' } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect((await fetch(new URL('/mcp', open), { method: 'POST' })).status).toBe(401);
  });

  it('is off without the dialect', async () => {
    const path = folder({ 'pdf/SKILL.md': skillText('pdf') });
    const url = await listening(start(['serve', path, '--http', '0', '--dialects', 'released']));
    expect((await fetch(new URL(INDEX, url))).status).toBe(404);
  });

  it.each([
    [['--public-well-known'], '--public-well-known is for HTTP, and this serves over stdio'],
    [['--dialects', 'well-known'], '--dialects names well-known alone, which is for HTTP'],
    [
      ['--http', '0', '--dialects', 'released', '--public-well-known'],
      '--public-well-known is for the dialect well-known, which --dialects leaves out',
    ],
  ])('refuses %j', async (flags, message) => {
    const { code, stderr } = await run(['serve', folder({ 'a/SKILL.md': skillText('a') }), ...flags]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
