/**
 * Helps others to test what stands on Skillwire.
 *
 * @module
 */
export type { HostileCase, HostileMoment, HostileRequest } from './hostile/hostile-case.ts';
export { hostileServers } from './hostile/hostile-servers.ts';
export { type HostileServer, openHostile } from './hostile/open-hostile.ts';
export type { SuiteFiles } from './source-case.ts';
export {
  type SourceSuiteOptions,
  type SuiteCheck,
  type SuiteSource,
  sourceSuite,
} from './source-suite.ts';
