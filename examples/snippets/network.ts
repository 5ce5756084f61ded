import { onlyHostOf, openNet, safeFetch } from 'skillwire/net';
import { openStore } from 'skillwire/store';

/** Fetches an archive unless the one at hand is still what the server has. */
export async function download(url: string, etag: string): Promise<Buffer | undefined> {
  // #region fetch
  const response = await safeFetch(url, {
    allowedHosts: ['skills.example', '*.cdn.example'],
    validators: { etag },
    maxBytes: 20_000_000,
  });
  if (response.notModified) return undefined;
  return response.bytes();
  // #endregion fetch
}

/** Fetches what a user typed. */
export async function typed(url: string): Promise<Buffer> {
  // #region typed
  const response = await safeFetch(url, { allowPrivate: onlyHostOf(url) });
  return response.bytes();
  // #endregion typed
}

/** Fetches with a token. */
export async function authorized(url: string, token: string): Promise<Buffer> {
  // #region authorized
  const response = await safeFetch(url, {
    request: ({ headers }) => headers.set('authorization', `Bearer ${token}`),
  });
  return response.bytes();
  // #endregion authorized
}

/** Fetches several files of one server. */
export async function several(urls: readonly string[]): Promise<Buffer[]> {
  // #region several
  const net = openNet({ allowedHosts: ['skills.example'] });
  try {
    const files: Buffer[] = [];
    for (const url of urls) files.push(await (await net.fetch(url)).bytes());
    return files;
  } finally {
    await net.close();
  }
  // #endregion several
}

/** Streams a download to a temporary file. */
export async function toDisk(url: string, use: (path: string) => Promise<void>): Promise<void> {
  // #region disk
  const store = openStore();
  const file = await store.tempFile('download');
  try {
    const response = await safeFetch(url);
    for await (const chunk of response.body) await file.write(chunk);
    await use(await file.done());
  } finally {
    await store.close(); // removes the file
  }
  // #endregion disk
}
