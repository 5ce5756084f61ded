import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertHostAllowed, parseFetchUrl } from '../../src/net/host.ts';
import { type HostPolicy, onlyHostOf, printableUrl } from '../../src/net/index.ts';

/** The code with which a URL is refused; undefined if it may be asked. */
function refused(url: string, policy: HostPolicy = {}): unknown {
  try {
    assertHostAllowed(policy, parseFetchUrl(url));
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

describe('a URL', () => {
  it.each([
    ['', 'NET_URL_REFUSED'],
    ['skills.example', 'NET_URL_REFUSED'],
    ['//skills.example/a', 'NET_URL_REFUSED'],
    ['https://', 'NET_URL_REFUSED'],
    ['https://a b/', 'NET_URL_REFUSED'],
    ['https://1.2.3.4.5.256/', 'NET_URL_REFUSED'],
    ['file:///etc/passwd', 'NET_URL_REFUSED'],
    ['file:x', 'NET_URL_REFUSED'],
    ['FILE:/x', 'NET_URL_REFUSED'],
    ['ftp://skills.example/a', 'NET_URL_REFUSED'],
    ['data:text/plain,x', 'NET_URL_REFUSED'],
    ['javascript:alert(1)', 'NET_URL_REFUSED'],
    ['gopher://skills.example/', 'NET_URL_REFUSED'],
    ['skill://a/SKILL.md', 'NET_URL_REFUSED'],
    ['https://me@skills.example/', 'NET_URL_REFUSED'],
    ['https://me:pw@skills.example/', 'NET_URL_REFUSED'],
    ['https://:pw@skills.example/', 'NET_URL_REFUSED'],
    ['https://public.example@127.0.0.1/', 'NET_URL_REFUSED'],
    ['http://localhost/', 'NET_ADDRESS_REFUSED'],
    ['http://LOCALHOST:8080/', 'NET_ADDRESS_REFUSED'],
    ['http://localhost./', 'NET_ADDRESS_REFUSED'],
    ['http://localhost../', 'NET_ADDRESS_REFUSED'],
    ['http://a.localhost/', 'NET_ADDRESS_REFUSED'],
    ['http://localhost.localdomain/', 'NET_ADDRESS_REFUSED'],
    ['http://ip6-loopback/', 'NET_ADDRESS_REFUSED'],
    ['http://printer.local/', 'NET_ADDRESS_REFUSED'],
    ['http://metadata.google.internal/', 'NET_ADDRESS_REFUSED'],
    ['http://router.home.arpa/', 'NET_ADDRESS_REFUSED'],
    ['http://intranet/', 'NET_ADDRESS_REFUSED'],
    ['http://127.0.0.1/', 'NET_ADDRESS_REFUSED'],
    ['http://127.0.0.1./', 'NET_ADDRESS_REFUSED'],
    ['http://127.1/', 'NET_ADDRESS_REFUSED'],
    ['http://2130706433/', 'NET_ADDRESS_REFUSED'],
    ['http://0x7f000001/', 'NET_ADDRESS_REFUSED'],
    ['http://0x7f.1/', 'NET_ADDRESS_REFUSED'],
    ['http://0177.0.0.01/', 'NET_ADDRESS_REFUSED'],
    ['http://017700000001/', 'NET_ADDRESS_REFUSED'],
    ['http://%31%32%37.0.0.1/', 'NET_ADDRESS_REFUSED'],
    ['http://１２７.0.0.1/', 'NET_ADDRESS_REFUSED'],
    ['http://①②⑦。⓪。⓪。①/', 'NET_ADDRESS_REFUSED'],
    ['http://0/', 'NET_ADDRESS_REFUSED'],
    ['http://0.0.0.0/', 'NET_ADDRESS_REFUSED'],
    ['http://169.254.169.254/latest/meta-data/', 'NET_ADDRESS_REFUSED'],
    ['http://0xa9fea9fe/', 'NET_ADDRESS_REFUSED'],
    ['http://[::]/', 'NET_ADDRESS_REFUSED'],
    ['http://[::1]/', 'NET_ADDRESS_REFUSED'],
    ['http://[0:0:0:0:0:0:0:1]/', 'NET_ADDRESS_REFUSED'],
    ['http://[::ffff:127.0.0.1]/', 'NET_ADDRESS_REFUSED'],
    ['http://[::ffff:7f00:1]/', 'NET_ADDRESS_REFUSED'],
    ['http://[64:ff9b::10.0.0.1]/', 'NET_ADDRESS_REFUSED'],
    ['http://[2002:7f00:1::]/', 'NET_ADDRESS_REFUSED'],
    ['http://[fe80::1]/', 'NET_ADDRESS_REFUSED'],
    ['http://[fd00:ec2::254]/', 'NET_ADDRESS_REFUSED'],
    ['http://8.8.8.8/', undefined],
    ['http://134744072/', undefined],
    ['https://[2606:4700::1111]/', undefined],
    ['https://skills.example/a?b=c#d', undefined],
    ['HTTPS://Skills.Example:8443/', undefined],
    ['https://localhost.example/', undefined],
    ['https://xlocalhost.example/', undefined],
    ['https://bücher.example/', undefined],
  ])('%j: %s', (url, code) => {
    expect(refused(url)).toBe(code);
  });
});

describe('allowedHosts', () => {
  it.each([
    ['skills.example', 'https://skills.example/', true],
    ['skills.example', 'https://SKILLS.example.:8443/', true],
    ['Skills.Example', 'https://skills.example/', true],
    ['skills.example', 'https://a.skills.example/', false],
    ['skills.example', 'https://skills.example.evil.test/', false],
    ['skills.example', 'https://xskills.example/', false],
    ['skills.example:8443', 'https://skills.example:8443/', true],
    ['skills.example:8443', 'https://skills.example/', false],
    ['skills.example:443', 'https://skills.example/', true],
    ['skills.example:443', 'http://skills.example/', false],
    ['skills.example:80', 'http://skills.example/', true],
    ['*.skills.example', 'https://a.skills.example/', true],
    ['*.skills.example', 'https://a.b.skills.example/', true],
    ['*.skills.example', 'https://skills.example/', false],
    ['*.skills.example', 'https://xskills.example/', false],
    ['*.8.8', 'https://8.8.8.8/', false],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
    ['8.8.8.8', 'https://134744072/', true],
    ['2606:4700::1111', 'https://[2606:4700:0::1111]/', true],
    ['[2606:4700::1111]', 'https://[2606:4700::1111]/', true],
    ['[2606:4700::1111]:8443', 'https://[2606:4700::1111]/', false],
    ['https://skills.example', 'https://skills.example/', false],
    ['skills.example/path', 'https://skills.example/', false],
    ['me@skills.example', 'https://skills.example/', false],
    ['*', 'https://skills.example/', false],
    ['', 'https://skills.example/', false],
  ])('%j and %s: %s', (entry, url, allowed) => {
    expect(refused(url, { allowedHosts: [entry] })).toBe(allowed ? undefined : 'NET_HOST_REFUSED');
  });

  it('does not make an address public', () => {
    expect(refused('http://127.0.0.1/', { allowedHosts: ['127.0.0.1'] })).toBe('NET_ADDRESS_REFUSED');
  });

  it('lets nothing through when it is empty', () => {
    expect(refused('https://skills.example/', { allowedHosts: [] })).toBe('NET_HOST_REFUSED');
  });

  it('names the host that redirects and keeps the query out of the message', () => {
    const from = new URL('https://skills.example/');
    expect(() =>
      assertHostAllowed(
        { allowedHosts: ['skills.example'] },
        new URL('https://cdn.example/a?token=s3cret'),
        from,
      ),
    ).toThrow(/cdn\.example, to which skills\.example redirects, is not one of the allowed hosts/);
  });
});

describe('onlyHostOf', () => {
  const allowPrivate = onlyHostOf('http://LocalHost.:8080/a');

  it.each([
    ['http://localhost:8080/', undefined],
    ['http://localhost:9090/', undefined],
    ['http://127.0.0.1:8080/', 'NET_ADDRESS_REFUSED'],
    ['http://a.localhost/', 'NET_ADDRESS_REFUSED'],
    ['http://[::1]/', 'NET_ADDRESS_REFUSED'],
  ])('%s: %s', (url, code) => {
    expect(refused(url, { allowPrivate })).toBe(code);
  });

  it('takes an address in any spelling', () => {
    expect(refused('http://127.0.0.1/', { allowPrivate: onlyHostOf('http://0x7f.1/') })).toBeUndefined();
    expect(refused('http://[::1]/', { allowPrivate: onlyHostOf('http://[0:0::1]/') })).toBeUndefined();
  });

  it('refuses what is no URL', () => {
    expect(() => onlyHostOf('localhost')).toThrow(expect.objectContaining({ code: 'NET_URL_REFUSED' }));
  });
});

describe('printableUrl', () => {
  it.each([
    ['https://me:pw@skills.example:8443/a.zip?sig=s3cret#frag', 'https://skills.example:8443/a.zip?…'],
    ['http://skills.example', 'http://skills.example/'],
    ['https://skills.example/#s3cret', 'https://skills.example/'],
    ['https://skills.example/a\r\nb\u001b[31m', 'https://skills.example/ab%1B[31m'],
    ['nonsense', '(not a URL)'],
    [`https://skills.example/${'a'.repeat(300)}?x`, `https://skills.example/${'a'.repeat(177)}…`],
  ])('%j', (url, shown) => {
    expect(printableUrl(url)).toBe(shown);
  });

  it('never shows a user, a password, a query or a fragment', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const parsed = new URL(url);
        parsed.username = 'user-s3cret';
        parsed.password = 'pass-s3cret';
        parsed.searchParams.set('q', 'query-s3cret');
        parsed.hash = 'hash-s3cret';
        expect(printableUrl(parsed)).not.toContain('s3cret');
      }),
    );
  });
});
