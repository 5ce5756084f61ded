/**
 * Helps others to test what stands on Skillwire.
 *
 * @module
 */
export {
  type SourceSuiteOptions,
  type SuiteCheck,
  type SuiteFiles,
  type SuiteSource,
  sourceSuite,
} from './source-suite.ts';
