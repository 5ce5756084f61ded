import { describe, expect, it } from 'vitest';
import { replacedModules } from '../../interop/peers/replaced.ts';

const BUILT = [
  'serve: go1.26.8',
  '\tpath\texample/serve',
  '\tmod\texample\t(devel)\t',
  '\tdep\texample.org/as-asked\tv1.0.0\th1:AAAA=',
  '\tdep\texample.org/older\tv0.1.2',
  '\t=>\texample.org/older\tv0.1.0\th1:BBBB=',
  '\t',
  '\tdep\texample.org/copied\tv0.1.4',
  '\t=>\t/home/somebody/copied\t(devel)\t',
  '\tdep\texample.org/beside\tv0.1.4',
  '\t=>\t../beside\t(devel)\t',
  '\tdep\texample.org/windows\tv0.1.4',
  '\t=>\tC:\\copied\t(devel)\t',
  '\tbuild\t-compiler=gc',
].join('\n');

describe('replacedModules', () => {
  it('names what was built for something else, and no folder of this machine', () => {
    expect(replacedModules(BUILT)).toEqual([
      'example.org/older v0.1.0 in place of example.org/older v0.1.2',
      'a local copy in place of example.org/copied v0.1.4',
      'a local copy in place of example.org/beside v0.1.4',
      'a local copy in place of example.org/windows v0.1.4',
    ]);
  });

  it('is empty where everything is as asked', () => {
    expect(replacedModules('serve: go1.26.8\n\tdep\texample.org/a\tv1.0.0\th1:AAAA=\n')).toEqual([]);
  });
});
