/**
 * Skills over HTTP: `/mcp` for both eras, guarded, with health paths and a graceful end.
 *
 * @module
 */
export { createHttpApp, type HttpApp, type HttpAppOptions, type Principal } from './app.ts';
