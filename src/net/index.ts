/**
 * `skillwire/net`: fetches over HTTP that are capped, timed, and go only where they may.
 *
 * @module
 */
export { isPublicAddress, type SpecialRange, specialRange } from './address.ts';
export type { ConnectionOptions } from './connect.ts';
export {
  type FetchOptions,
  type Net,
  type NetOptions,
  type NetRequest,
  type NetResponse,
  openNet,
  safeFetch,
} from './fetch.ts';
export { type AllowPrivate, type HostPolicy, onlyHostOf } from './host.ts';
export { printableUrl } from './net-error.ts';
export type { ProxySettings } from './proxies.ts';
export type { RedirectOptions } from './redirect.ts';
export type { CustomFetch, CustomFetchInit, CustomFetchResponse, NetMethod } from './transport.ts';
export { conditionalHeaders, type Validators, validatorsOf } from './validators.ts';
