/**
 * Which IP addresses are public: those a fetch may connect to unless it is told otherwise.
 *
 * @module
 */
import { isIP } from 'node:net';

/** A range of addresses that is not public. */
export interface SpecialRange {
  /** In CIDR notation. */
  readonly range: string;
  /** What the range is for, as words in a message. */
  readonly what: string;
}

/**
 * The special-purpose registry of IPv4. What it calls globally reachable inside a range that is not (two anycast
 * addresses of 192.0.0.0/24) is refused with the range: no download lives there.
 */
const SPECIAL_V4: readonly SpecialRange[] = [
  { range: '0.0.0.0/8', what: '"this network"' },
  { range: '10.0.0.0/8', what: 'a private network' },
  { range: '100.64.0.0/10', what: "a carrier's shared network" },
  { range: '127.0.0.0/8', what: 'this machine' },
  // The virtual host of a large cloud answers its guests here with their configuration; the address looks public.
  { range: '168.63.129.16/32', what: "a cloud's service for its own guests" },
  { range: '169.254.0.0/16', what: 'link-local, where clouds keep credentials' },
  { range: '172.16.0.0/12', what: 'a private network' },
  { range: '192.0.0.0/24', what: 'reserved for protocols' },
  { range: '192.0.2.0/24', what: 'for documentation' },
  { range: '192.88.99.0/24', what: 'a retired relay' },
  { range: '192.168.0.0/16', what: 'a private network' },
  { range: '198.18.0.0/15', what: 'for benchmarks' },
  { range: '198.51.100.0/24', what: 'for documentation' },
  { range: '203.0.113.0/24', what: 'for documentation' },
  { range: '224.0.0.0/4', what: 'multicast' },
  { range: '240.0.0.0/4', what: 'reserved' },
];

/** Named ranges of IPv6. Outside them only 2000::/3, the global unicast space, is public. */
const SPECIAL_V6: readonly SpecialRange[] = [
  { range: '::/128', what: '"no address"' },
  { range: '::1/128', what: 'this machine' },
  { range: '::/96', what: 'an IPv4 address in a retired form' },
  { range: '64:ff9b:1::/48', what: 'a local translator to IPv4' },
  { range: '100::/64', what: 'a discard range' },
  { range: '2001::/23', what: 'reserved for protocols and tunnels' },
  { range: '2001:db8::/32', what: 'for documentation' },
  { range: '2002::/16', what: 'a tunnel to an IPv4 address' },
  { range: '3fff::/20', what: 'for documentation' },
  { range: '5f00::/16', what: 'for segment routing' },
  { range: 'fc00::/7', what: 'a private network' },
  { range: 'fe80::/10', what: 'link-local' },
  { range: 'fec0::/10', what: 'a site-local network' },
  { range: 'ff00::/8', what: 'multicast' },
];
const GLOBAL_V6: SpecialRange = { range: '2000::/3', what: '' };

/** Forms that carry an IPv4 address in their last 32 bits, which then decides: mapped, and the translator of IPv6-only networks. */
const CARRIERS: readonly SpecialRange[] = [
  { range: '::ffff:0:0/96', what: 'an IPv4 address' },
  { range: '64:ff9b::/96', what: 'an IPv4 address' },
];

interface Block extends SpecialRange {
  readonly base: bigint;
  readonly shift: bigint;
}

const blocksV4 = SPECIAL_V4.map((each) => blockOf(each, 32));
const blocksV6 = SPECIAL_V6.map((each) => blockOf(each, 128));
const carriers = CARRIERS.map((each) => blockOf(each, 128));
const globalV6 = blockOf(GLOBAL_V6, 128);

function blockOf(special: SpecialRange, bits: number): Block {
  const [address = '', length = ''] = special.range.split('/');
  const shift = BigInt(bits - Number(length));
  const value = bits === 32 ? numberOfV4(address) : numberOfV6(address);
  return { ...special, base: value >> shift, shift };
}

function within(value: bigint, block: Block): boolean {
  return value >> block.shift === block.base;
}

/**
 * The range that makes `ip` an address no public server has; undefined when it is a public address.
 *
 * Takes the text form that name lookups and sockets give: dotted decimal or IPv6. An IPv4 address inside an IPv6 one is
 * judged itself. Text that is no address, other spellings of IPv4 included, and an IPv6 address with a zone are never
 * public: what cannot be judged is not trusted.
 *
 * @example
 * specialRange('169.254.169.254') // { range: '169.254.0.0/16', what: 'link-local, where clouds keep credentials' }
 */
export function specialRange(ip: string): SpecialRange | undefined {
  const family = isIP(ip);
  if (family === 0) return { range: '', what: 'no IP address' };
  if (family === 4) return find(blocksV4, numberOfV4(ip));
  if (ip.includes('%')) return { range: 'fe80::/10', what: 'an address of one network interface' };
  const value = numberOfV6(ip);
  if (carriers.some((block) => within(value, block))) return find(blocksV4, value & 0xffff_ffffn);
  const named = find(blocksV6, value);
  if (named !== undefined || within(value, globalV6)) return named;
  return { range: '::/0', what: 'outside of what is given to public networks' };
}

/**
 * Whether `ip` is an address that a public server can have (threats R3 and R5).
 *
 * See {@link specialRange} for what is taken and why an address is refused.
 *
 * @example
 * isPublicAddress('127.0.0.1') // false
 */
export function isPublicAddress(ip: string): boolean {
  return specialRange(ip) === undefined;
}

function find(blocks: readonly Block[], value: bigint): SpecialRange | undefined {
  const block = blocks.find((each) => within(value, each));
  return block === undefined ? undefined : { range: block.range, what: block.what };
}

function numberOfV4(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function numberOfV6(text: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const plain = dotted === null ? text : `${dotted[1]}${groupsOfV4(dotted[2] ?? '')}`;
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right];
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function groupsOfV4(text: string): string {
  const value = numberOfV4(text);
  return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}
