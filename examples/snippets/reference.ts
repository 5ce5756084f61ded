import { createHttpApp, isSkillError, type SkillProvider } from 'skillwire';

/** Tells a missing source from a fault. */
export async function rescan(provider: SkillProvider): Promise<void> {
  // #region errors
  try {
    await provider.refresh();
  } catch (error) {
    if (isSkillError(error, 'SOURCE_NOT_FOUND')) console.error(error.message, error.details);
    else throw error;
  }
  // #endregion errors
}

/** Serves with caps of its own. */
export async function serveSmall(provider: SkillProvider): Promise<string> {
  // #region limits
  const app = createHttpApp({ provider, maxSessions: 50, maxRequestBytes: 65_536 });
  const { url } = await app.listen({ port: 0 });
  // #endregion limits
  return url;
}
