/**
 * The checks that every source passes, for any test runner.
 *
 * @module
 */
import type { IgnoreOptions, MaybePromise, Source } from '../source/index.ts';
import type { SuiteFiles } from './source-case.ts';
import { NAME_CASES, SOURCE_CASES } from './source-cases.ts';
import { FACTS_CASES } from './source-facts-cases.ts';
import { RULE_CASES } from './source-rule-cases.ts';

/** A source that was made for one check. */
export interface SuiteSource {
  readonly source: Source;
  /** Called after the check, whether it passed or not. */
  readonly dispose?: () => MaybePromise<void>;
}

/** What {@link sourceSuite} needs to know. */
export interface SourceSuiteOptions {
  /** Stands before the name of every check. */
  readonly name: string;
  /** Makes a source that holds exactly `files`. */
  readonly create: (files: SuiteFiles, options?: IgnoreOptions) => MaybePromise<SuiteSource>;
  /** It cannot hold two names that differ by case or composition only. @default false */
  readonly foldsNames?: boolean;
}

/** One check. */
export interface SuiteCheck {
  readonly name: string;
  /** Rejects when the source fails it. */
  readonly run: () => Promise<void>;
}

/**
 * Returns the checks of the contract of a source, each to be run as a test of its own.
 *
 * @example
 * for (const check of sourceSuite({ name: 'memory', create: (files) => ({ source: memorySource(files) }) })) {
 *   test(check.name, check.run);
 * }
 */
export function sourceSuite(options: SourceSuiteOptions): readonly SuiteCheck[] {
  const cases = [...SOURCE_CASES, ...FACTS_CASES, ...RULE_CASES, ...(options.foldsNames ? [] : NAME_CASES)];
  return cases.map((each) => ({
    name: `${options.name}: ${each.name}`,
    run: async () => {
      const { source, dispose } = await options.create(each.files, each.options);
      try {
        await each.body(source);
      } finally {
        await source.close();
        await dispose?.();
      }
    },
  }));
}
