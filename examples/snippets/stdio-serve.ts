/** Serves a folder over stdio until the client goes. */
// #region serve
import { createProvider, directorySource, serveStdio } from 'skillwire';

const provider = await createProvider({ source: directorySource('./skills') });
await serveStdio(provider).closed; // stdin ended, what was asked before is answered
await provider.close();
process.exit(0);
// #endregion serve
