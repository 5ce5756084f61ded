import {
  catalogBlock,
  type FoundSkill,
  instructionsBlock,
  type LoadedSkill,
  type SkillListing,
  safeCatalogBlock,
  safeInstructionsBlock,
} from 'skillwire/client';

/** The catalog of one server. */
export function catalog(listing: SkillListing, question: string): string {
  // #region catalog
  const { text, omitted } = safeCatalogBlock(listing.skills, {
    origin: 'docs server',
    query: question,
    maxTokens: 4_000,
  });
  if (omitted.length > 0) console.error(`${omitted.length} skills did not fit`);
  // #endregion catalog
  return text;
}

/** One catalog of several servers. */
export function severalServers(servers: ReadonlyMap<string, SkillListing>): string {
  // #region origins
  const origins = new Map<FoundSkill, string>();
  for (const [label, { skills }] of servers) {
    for (const skill of skills) origins.set(skill, label);
  }
  const { text } = safeCatalogBlock([...origins.keys()], {
    origin: (skill) => origins.get(skill) ?? 'unknown',
    hint: 'Call open_skill(origin, uri) to read one.',
  });
  // #endregion origins
  return text;
}

/** Whole skills, counted as the model counts. */
export function instructions(
  loaded: readonly LoadedSkill[],
  tokenizer: { encode(text: string): number[] },
): string {
  // #region instructions
  const { text } = safeInstructionsBlock(loaded, {
    origin: 'docs server',
    maxTokens: 16_000,
    countTokens: (text) => tokenizer.encode(text).length,
  });
  // #endregion instructions
  return text;
}

/** The form of mcpkit. */
export function plain(listing: SkillListing, loaded: readonly LoadedSkill[]): string {
  // #region plain
  const prompt = catalogBlock(listing) + instructionsBlock(loaded);
  // #endregion plain
  return prompt;
}
