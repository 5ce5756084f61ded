import { type Catalog, checkSkill, checkSource, entryOf, openCatalog } from 'skillwire/catalog';
import { directorySource, type Source } from 'skillwire/source';

/** Opens a folder of skills and shows what is in it. */
export async function open(): Promise<Catalog> {
  // #region open
  const catalog = await openCatalog(directorySource('./skills'));

  for (const skill of catalog.snapshot.skills) console.log(skill.uri, skill.listed ? '' : '(unlisted)');
  for (const { path, message } of catalog.snapshot.diagnostics) console.log(path, message);
  // #endregion open
  return catalog;
}

/** Reads a file and the entry it belongs to. */
export async function read(catalog: Catalog): Promise<void> {
  // #region read
  const { file, bytes } = await catalog.read('skill://pdf/references/forms.md');
  console.log(file.digest, file.mimeType, bytes.length);

  const skill = catalog.snapshot.skill('skill://pdf/SKILL.md');
  if (skill !== undefined) console.log(entryOf(skill).resources);
  // #endregion read
}

/** Follows changes. */
export async function follow(catalog: Catalog): Promise<void> {
  // #region follow
  const stop = catalog.onChange(({ added, changed, removed }) => console.log({ added, changed, removed }));

  await catalog.refreshPaths(['pdf/references']); // what you know to have changed
  await catalog.refresh(); // everything; a file with the same stamp is not read again
  stop();
  // #endregion follow
}

/** Checks without serving. */
export async function check(source: Source): Promise<void> {
  // #region check
  const { skills, diagnostics } = await checkSource(source);
  console.log(skills.filter((skill) => skill.outcome === 'refused').map((skill) => skill.path));

  const ofOne = await checkSkill(source, 'pdf');
  console.log(diagnostics.length, ofOne.length);
  // #endregion check
}
