/**
 * The flags of every command that reads sources.
 *
 * @module
 */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { CatalogOptions } from '../catalog/index.ts';
import type { OpenOptions } from '../source/index.ts';

/** What {@link addSourceFlags} makes of a command line. */
export interface SourceFlags {
  readonly prefix?: string;
  readonly strict?: boolean;
  readonly symlinks?: 'contained' | 'follow' | 'refuse';
  readonly nested?: 'publish' | 'reject';
  readonly nameMismatch?: 'publish-under-name' | 'reject';
  readonly linkRoot?: readonly string[];
  readonly allowSecret?: readonly string[];
}

/** Adds the flags that say how sources are read; `strict` is a flag of its own where it means something else. */
export function addSourceFlags(command: Command): void {
  command
    .option('--prefix <path>', 'segments before the path of every skill')
    .addOption(
      new Option('--symlinks <how>', 'links: within their skill, anywhere in the source, or none').choices([
        'contained',
        'follow',
        'refuse',
      ]),
    )
    .addOption(new Option('--nested <how>', 'a skill inside another').choices(['publish', 'reject']))
    .addOption(
      new Option('--name-mismatch <how>', 'a skill whose folder has another name').choices([
        'publish-under-name',
        'reject',
      ]),
    )
    .option('--link-root <dir>', 'a further folder that links may lead into; repeatable', collect)
    .option(
      '--allow-secret <pattern>',
      'serve files that match although they look like secrets; repeatable',
      collect,
    );
}

/** For a flag that may stand several times: the values in order. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The flags as options of a source. */
export function sourceOptions(flags: SourceFlags, cwd: string): OpenOptions {
  const symlinks = flags.symlinks ?? (flags.strict === true ? 'refuse' : undefined);
  return {
    cwd,
    ...(symlinks === undefined ? {} : { symlinks }),
    ...(flags.linkRoot === undefined
      ? {}
      : { linkRoots: flags.linkRoot.map((folder) => resolve(cwd, folder)) }),
    ...(flags.allowSecret === undefined ? {} : { allowSecret: flags.allowSecret }),
  };
}

/** The flags as options of a catalog. */
export function catalogOptions(flags: SourceFlags): CatalogOptions {
  return {
    ...(flags.prefix === undefined ? {} : { prefix: flags.prefix.replace(/^\/+|\/+$/g, '') }),
    ...(flags.strict === undefined ? {} : { strict: flags.strict }),
    ...(flags.nested === undefined ? {} : { nestedSkills: flags.nested }),
    ...(flags.nameMismatch === undefined ? {} : { nameMismatch: flags.nameMismatch }),
  };
}
