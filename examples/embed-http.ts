/** Serves a folder of skills over HTTP from a program of your own. */
// #region serve
import { createHttpApp, createProvider, openSource } from 'skillwire';

const provider = await createProvider({ source: await openSource('examples/skills') });
const app = createHttpApp({ provider });
const { url } = await app.listen({ port: Number(process.env.PORT ?? 8750) });
console.error(`skills on ${url}`);
// #endregion serve

// #region report
const { skills, refused } = provider.catalog.snapshot;
console.error(`${skills.length} skills`);
for (const { path, diagnostic } of refused) console.error(`refused: ${path}: ${diagnostic.message}`);
// #endregion report

// #region stop
process.once('SIGTERM', async () => {
  await app.close();
  await provider.close();
});
// #endregion stop
