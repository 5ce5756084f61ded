/**
 * From a vendor to the source over its folders.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { SkillError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { mountSources } from './mount.ts';
import { type OpenPathOptions, openPath } from './open-path.ts';
import type { Source } from './source.ts';
import type { Vendor } from './vendors.ts';

/** Where the common installer puts skills, with links to them in the folders of vendors. */
const SHARED_ROOT = '~/.agents/skills';

/** Options of {@link openVendor}. */
export interface OpenVendorOptions extends OpenPathOptions {
  /** What `~` stands for. @default the home folder of the user */
  readonly home?: string;
  /** Hears which skill gave way to one of the same name. */
  readonly logger?: Logger;
}

/**
 * Resolves to the folders of a vendor laid over each other: those that do not exist are passed over, and of two skills with
 * one folder name that in the earlier folder is served. Links may also lead into `~/.agents/skills` (design decision 6).
 *
 * Errors: `SOURCE_NOT_FOUND` when none of the folders exists, naming all; those of `openSource` for a folder.
 *
 * @example
 * const source = await openVendor(vendorOf('claude'), { home: '/home/ann' })
 */
export async function openVendor(vendor: Vendor, options: OpenVendorOptions = {}): Promise<Source> {
  const { home = homedir(), logger, ...rest } = options;
  const label = `vendor:${vendor.name}`;
  const folders = vendor.roots.map((root) => atHome(root, home)).filter((folder) => existsSync(folder));
  if (folders.length === 0) {
    throw new SkillError('SOURCE_NOT_FOUND', `${label} has no skills here: ${nowhere(vendor.roots)}`, {
      details: { source: label, hint: 'name the folder that holds the skills instead' },
    });
  }
  const shared = atHome(SHARED_ROOT, home);
  const linkRoots = [...(rest.linkRoots ?? []), ...(existsSync(shared) ? [shared] : [])];
  const opened: Source[] = [];
  try {
    for (const folder of folders) opened.push(await openPath(folder, { ...rest, linkRoots }));
  } catch (error) {
    await Promise.all(opened.map((source) => source.close()));
    throw error;
  }
  return mountSources(
    opened.map((source) => ({ source })),
    { label, onCollision: 'first', ...(logger === undefined ? {} : { logger }) },
  );
}

function nowhere(roots: readonly string[]): string {
  const [only = '', ...others] = roots;
  return others.length === 0 ? `there is no ${only}` : `there is neither ${roots.join(' nor ')}`;
}

function atHome(root: string, home: string): string {
  return root.startsWith('~/') ? path.join(home, root.slice(2)) : path.resolve(root);
}
