/** The package as it is shipped: what is measured is `dist` and not its source under a loader. */
type Package = typeof import('../src/index.ts');

/** The exports of the built package. */
export async function built(): Promise<Package> {
  return (await import(new URL('../dist/index.js', import.meta.url).href)) as Package;
}

/** The exports of the built `skillwire/store`. */
export async function builtStore(): Promise<typeof import('../src/store/index.ts')> {
  return (await import(
    new URL('../dist/store/index.js', import.meta.url).href
  )) as typeof import('../src/store/index.ts');
}
