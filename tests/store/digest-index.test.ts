import { chmod, lstat, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DigestIndexOptions, openDigestIndex, openStore } from '../../src/store/index.ts';
import { testFolder } from './support.ts';

const folder = testFolder();

function open(options: DigestIndexOptions = {}): ReturnType<typeof openDigestIndex> {
  return openDigestIndex(folder(), { minTreeBytes: -1, ...options });
}

async function files(): Promise<string[]> {
  return readdir(join(folder(), 'digests')).catch(() => []);
}

/** A logger that records what it hears at its lowest level, and nothing else is said. */
function recorder(): { messages: string[]; logger: NonNullable<DigestIndexOptions['logger']> } {
  const messages: string[] = [];
  const never = (message: string): void => {
    throw new Error(`said aloud: ${message}`);
  };
  return {
    messages,
    logger: { debug: (message) => messages.push(message), info: never, warn: never, error: never },
  };
}

describe('the digest index', () => {
  it('gives back what was kept, in this process and the next, by key', async () => {
    const index = open();
    expect(await index.load('a')).toBeUndefined();
    await index.save('a', Buffer.from([0, 10, 255]));
    await index.save('b', Buffer.from('b'));
    await index.save('a', Buffer.from([1, 10, 255]));
    expect(await open().load('a')).toEqual(Buffer.from([1, 10, 255]));
    expect(await open().load('b')).toEqual(Buffer.from('b'));
    expect(await open().load('c')).toBeUndefined();
    expect((await files()).length).toBe(2);
  });

  it('makes nothing before there is something to keep', async () => {
    await open().load('a');
    expect(await readdir(folder())).toEqual([]);
    await openDigestIndex(folder()).save('a', Buffer.alloc(65_535));
    await open({ readOnly: true }).save('a', Buffer.alloc(100_000));
    expect(await readdir(folder())).toEqual([]);
    await openDigestIndex(folder()).save('a', Buffer.alloc(65_536));
    expect((await files()).length).toBe(1);
    expect((await open({ readOnly: true }).load('a'))?.byteLength).toBe(65_536);
  });

  it.skipIf(process.platform === 'win32')('is private, and does not tell its key', async () => {
    await open().save('/home/me/secret-project', Buffer.from('x'));
    const [name = ''] = await files();
    expect(name).toMatch(/^[0-9a-f]{64}$/);
    expect((await lstat(join(folder(), 'digests', name))).mode & 0o777).toBe(0o600);
    expect((await lstat(join(folder(), 'digests'))).mode & 0o777).toBe(0o700);
    expect(await readFile(join(folder(), 'digests', name), 'latin1')).not.toContain('secret-project');
    expect(await readdir(join(folder(), 'tmp'))).toEqual([]);
  });

  it('takes nothing for a damaged file, wherever the damage is', async () => {
    const { messages, logger } = recorder();
    const index = open({ logger });
    await index.save('a', Buffer.from('content of a tree'));
    const [name = ''] = await files();
    const path = join(folder(), 'digests', name);
    const whole = await readFile(path);
    for (let at = 0; at < whole.length; at += 1) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x20;
      await writeFile(path, bytes);
      expect(await index.load('a'), `byte ${at}`).toBeUndefined();
    }
    for (const length of [0, 1, 64, 65, 66, whole.length - 1]) {
      await writeFile(path, whole.subarray(0, length));
      expect(await index.load('a'), `length ${length}`).toBeUndefined();
    }
    await writeFile(path, whole);
    expect(await index.load('a')).toEqual(Buffer.from('content of a tree'));
    expect(messages).toEqual([]);
  });

  it('keeps neither a tree beyond its cap nor more than all may have', async () => {
    const { messages, logger } = recorder();
    const index = open({ maxTreeBytes: 100, maxIndexBytes: 700, logger });
    await index.save('large', Buffer.alloc(101));
    expect(messages).toEqual(['the digests are not kept for the next start, they are too many']);
    for (const key of ['a', 'b', 'c']) {
      await index.save(key, Buffer.alloc(100));
      for (const name of await files()) await utimes(join(folder(), 'digests', name), 1, 1);
    }
    await index.load('a');
    await index.save('d', Buffer.alloc(100));
    expect(await index.load('a')).toBeDefined();
    expect(await index.load('d')).toBeDefined();
    expect((await files()).length).toBeLessThan(4);
  });

  it('does without a cache folder that cannot be used, and says so at the lowest level', async () => {
    const { messages, logger } = recorder();
    await writeFile(join(folder(), 'file'), '');
    const index = openDigestIndex(join(folder(), 'file'), { minTreeBytes: -1, logger });
    expect(await index.load('a')).toBeUndefined();
    await index.save('a', Buffer.from('a'));
    expect(messages).toEqual(['the digests cannot be kept for the next start']);
  });

  it.skipIf(process.platform === 'win32')(
    'does not follow a link, nor use a folder that others may write',
    async () => {
      const { messages, logger } = recorder();
      await mkdir(join(folder(), 'elsewhere'));
      await symlink('elsewhere', join(folder(), 'digests'));
      const index = open({ logger });
      expect(await index.load('a')).toBeUndefined();
      await index.save('a', Buffer.from('a'));
      expect(await readdir(join(folder(), 'elsewhere'))).toEqual([]);
      const shared = join(folder(), 'shared');
      await mkdir(join(shared, 'digests'), { recursive: true });
      await chmod(shared, 0o777);
      const other = openDigestIndex(shared, { minTreeBytes: -1, logger });
      expect(await other.load('a')).toBeUndefined();
      await other.save('a', Buffer.from('a'));
      expect(await readdir(join(shared, 'digests'))).toEqual([]);
      expect(messages).toEqual([
        'the digests of an earlier start cannot be read',
        'the digests cannot be kept for the next start',
        'the digests of an earlier start cannot be read',
        'the digests cannot be kept for the next start',
      ]);
    },
  );

  it('is whole whoever writes at once', async () => {
    const kept = Array.from({ length: 8 }, (_, at) => Buffer.alloc(200_000, at));
    const writing = kept.map((bytes) => open().save('a', bytes));
    for (let look = 0; look < 20; look += 1) {
      const found = await open().load('a');
      if (found !== undefined) expect(kept.some((bytes) => bytes.equals(found))).toBe(true);
    }
    await Promise.all(writing);
    expect((await open().load('a'))?.byteLength).toBe(200_000);
    expect(await readdir(join(folder(), 'tmp'))).toEqual([]);
  });

  it('stands beside what a store keeps', async () => {
    const store = openStore(folder());
    await store.put('a', { bytes: Buffer.from('entry') });
    await open().save('a', Buffer.from('tree'));
    expect((await store.get('a'))?.bytes).toEqual(Buffer.from('entry'));
    expect(await open().load('a')).toEqual(Buffer.from('tree'));
    await store.close();
  });
});
