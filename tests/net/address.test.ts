import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress, specialRange } from '../../src/net/index.ts';

describe('isPublicAddress', () => {
  it.each([
    '1.0.0.0',
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
    '192.88.98.255',
    '192.88.100.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
    '198.51.101.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
    '2000::',
    '2001:200::1',
    '2001:db7:ffff::',
    '2001:db9::',
    '2003::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '3ffe:ffff::',
    '3fff:1000::',
    '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '64:ff9b::8.8.8.8',
    '64:ff9b::808:808',
  ])('%s is', (ip) => {
    expect(specialRange(ip)).toBeUndefined();
    expect(isPublicAddress(ip)).toBe(true);
  });

  it.each([
    ['0.0.0.0', '0.0.0.0/8'],
    ['0.255.255.255', '0.0.0.0/8'],
    ['10.0.0.0', '10.0.0.0/8'],
    ['10.255.255.255', '10.0.0.0/8'],
    ['100.64.0.0', '100.64.0.0/10'],
    ['100.100.100.200', '100.64.0.0/10'],
    ['100.127.255.255', '100.64.0.0/10'],
    ['127.0.0.1', '127.0.0.0/8'],
    ['127.255.255.255', '127.0.0.0/8'],
    ['168.63.129.16', '168.63.129.16/32'],
    ['169.254.0.0', '169.254.0.0/16'],
    ['169.254.169.254', '169.254.0.0/16'],
    ['169.254.255.255', '169.254.0.0/16'],
    ['172.16.0.0', '172.16.0.0/12'],
    ['172.31.255.255', '172.16.0.0/12'],
    ['192.0.0.0', '192.0.0.0/24'],
    ['192.0.0.192', '192.0.0.0/24'],
    ['192.0.2.1', '192.0.2.0/24'],
    ['192.88.99.1', '192.88.99.0/24'],
    ['192.168.0.0', '192.168.0.0/16'],
    ['192.168.255.255', '192.168.0.0/16'],
    ['198.18.0.0', '198.18.0.0/15'],
    ['198.19.255.255', '198.18.0.0/15'],
    ['198.51.100.7', '198.51.100.0/24'],
    ['203.0.113.7', '203.0.113.0/24'],
    ['224.0.0.1', '224.0.0.0/4'],
    ['239.255.255.255', '224.0.0.0/4'],
    ['240.0.0.0', '240.0.0.0/4'],
    ['255.255.255.255', '240.0.0.0/4'],
    ['::', '::/128'],
    ['0:0:0:0:0:0:0:0', '::/128'],
    ['::1', '::1/128'],
    ['0:0:0:0:0:0:0:1', '::1/128'],
    ['::2', '::/96'],
    ['::127.0.0.1', '::/96'],
    ['::8.8.8.8', '::/96'],
    ['::ffff:127.0.0.1', '127.0.0.0/8'],
    ['::ffff:7f00:1', '127.0.0.0/8'],
    ['::FFFF:A9FE:A9FE', '169.254.0.0/16'],
    ['0:0:0:0:0:ffff:192.168.1.1', '192.168.0.0/16'],
    ['::ffff:0:127.0.0.1', '::/0'],
    ['64:ff9b::127.0.0.1', '127.0.0.0/8'],
    ['64:ff9b::a00:1', '10.0.0.0/8'],
    ['64:ff9b::169.254.169.254', '169.254.0.0/16'],
    ['64:ff9b:1::8.8.8.8', '64:ff9b:1::/48'],
    ['64:ff9b:0:0:0:1:808:808', '::/0'],
    ['100::1', '100::/64'],
    ['100:0:0:1::1', '::/0'],
    ['1fff:ffff::1', '::/0'],
    ['2001::', '2001::/23'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001::/23'],
    ['2001:20::1', '2001::/23'],
    ['2001:1ff:ffff::', '2001::/23'],
    ['2001:db8::1', '2001:db8::/32'],
    ['2002:7f00:1::', '2002::/16'],
    ['2002:808:808::1', '2002::/16'],
    ['3fff::1', '3fff::/20'],
    ['3fff:fff:ffff::', '3fff::/20'],
    ['4000::1', '::/0'],
    ['5f00::1', '5f00::/16'],
    ['fbff::1', '::/0'],
    ['fc00::1', 'fc00::/7'],
    ['fd00:ec2::254', 'fc00::/7'],
    ['fdff:ffff::1', 'fc00::/7'],
    ['fe00::1', '::/0'],
    ['fe80::1', 'fe80::/10'],
    ['febf::1', 'fe80::/10'],
    ['fe80::1%eth0', 'fe80::/10'],
    ['2606:4700::1%1', 'fe80::/10'],
    ['fec0::1', 'fec0::/10'],
    ['ff02::1', 'ff00::/8'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ff00::/8'],
  ])('%s is not (%s)', (ip, range) => {
    expect(specialRange(ip)?.range).toBe(range);
    expect(specialRange(ip)?.what).toMatch(/\S/);
    expect(isPublicAddress(ip)).toBe(false);
  });

  it.each([
    '',
    'localhost',
    'example.com',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '8.8.8',
    '8.8.8.8.',
    ' 8.8.8.8',
    '8.8.8.8:80',
    '8.8.8.08',
    '256.1.1.1',
    '[2606:4700::1]',
    '2606:4700::1::',
    '2606:4700:::1',
    ':::',
    '::ffff:8.8.8.256',
    '8.8.8.8/32',
    '٨.٨.٨.٨',
  ])('%j, no address in its canonical spelling, is not', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});

const privateV4 = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  privateV4.addSubnet(net, bits, 'ipv4');
}

const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
const full = (parts: readonly number[]): string => parts.map((part) => part.toString(16)).join(':');

describe('every address', () => {
  it('of IPv4 is judged as the platform’s own list judges it, alone and inside IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        const expected = !privateV4.check(ip, 'ipv4');
        expect(isPublicAddress(ip)).toBe(expected);
        expect(isPublicAddress(`::ffff:${ip}`)).toBe(expected);
        expect(isPublicAddress(`64:ff9b::${ip}`)).toBe(expected);
        expect(isPublicAddress(`64:ff9b:1::${ip}`)).toBe(false);
        expect(isPublicAddress(`::${ip}`)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('of IPv6 outside 2000::/3 that carries no IPv4 address is not public', () => {
    fc.assert(
      fc.property(groups, (parts) => {
        const [first = 0] = parts;
        const carries = (parts[0] === 0x64 && parts[1] === 0xff9b) || first === 0;
        fc.pre(!carries);
        if (first < 0x2000 || first > 0x3fff) expect(isPublicAddress(full(parts))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('of IPv6 is judged the same in every spelling', () => {
    const holes = fc.array(
      fc.constantFrom(0, 0, 0, 1, 0x2001, 0x2606, 0xdb8, 0xffff, 0xfe80, 0x7f00, 0x64, 0xff9b),
      {
        minLength: 8,
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(holes, (parts) => {
        const written = full(parts);
        const canonical = new URL(`http://[${written}]`).hostname.slice(1, -1);
        const padded = parts.map((part) => part.toString(16).padStart(4, '0').toUpperCase()).join(':');
        const [high = 0, low = 0] = parts.slice(6);
        const dotted = `${full(parts.slice(0, 6))}:${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
        const expected = specialRange(written);
        for (const spelling of [canonical, padded, dotted]) expect(specialRange(spelling)).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('or any other text is judged without a fault', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.ipV6(), fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.%') })),
        (text) => {
          expect(typeof isPublicAddress(text)).toBe('boolean');
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
