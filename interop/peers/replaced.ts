/**
 * What was built with other modules than `go.mod` asks for, out of what `go version -m` says of a program. A module in a folder
 * of this machine is a local copy: where it lies is nobody's business.
 */
export function replacedModules(said: string): string[] {
  const replaced: string[] = [];
  let asked = '';
  for (const line of said.split('\n')) {
    const [, kind, module = '', version = ''] = line.split('\t');
    if (kind === 'dep') asked = `${module} ${version}`;
    if (kind !== '=>') continue;
    const isFolder = /^[./\\]|^[a-z]:/i.test(module);
    replaced.push(`${isFolder ? 'a local copy' : `${module} ${version}`} in place of ${asked}`);
  }
  return replaced;
}
