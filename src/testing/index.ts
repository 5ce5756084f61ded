/**
 * Helps others to test what stands on Skillwire.
 *
 * @module
 */
export type { SuiteFiles } from './source-case.ts';
export {
  type SourceSuiteOptions,
  type SuiteCheck,
  type SuiteSource,
  sourceSuite,
} from './source-suite.ts';
