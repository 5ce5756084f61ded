/** Serves a folder over HTTP until the process is asked to end. */
// #region serve
import { createHttpApp, createProvider, directorySource } from 'skillwire';

const provider = await createProvider({ source: directorySource('./skills') });
const app = createHttpApp({ provider });
const { url } = await app.listen({ port: 8750 });
console.error(`skills at ${url}`); // http://127.0.0.1:8750/mcp

process.once('SIGTERM', async () => {
  await app.close(); // lets requests end, for 5 seconds at most
  await provider.close();
});
// #endregion serve
