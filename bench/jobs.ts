import { FILES_EACH, READ_FILE, SUPPORTING_FILES, uriOf } from './corpus.ts';
import type { Call, Encodings } from './message.ts';
import { randomFrom } from './random.ts';

/** One kind of request that is counted. */
export interface Job {
  /** In names of numbers. */
  readonly key: JobKey;
  readonly label: string;
  /** What is asked in turn. */
  readonly calls: readonly Call[];
  readonly encodings: Encodings;
  /** Peers that do not page serve as many skills as a page holds, so that answers are alike. */
  readonly peersServeFew: boolean;
}

/** The names of the jobs. */
export type JobKey =
  | 'read'
  | 'readMany'
  | 'get'
  | 'getMany'
  | 'list'
  | 'listPlain'
  | 'resources'
  | 'resourcesPlain'
  | 'directory';

/** Different files that are asked for, in no order. */
const MANY = 2_048;

/** What is asked of servers of `skills` skills. */
export function jobsFor(skills: number): readonly Job[] {
  const next = randomFrom(7);
  const anySkill = (): number => next() % skills;
  const read = (uri: string): Call => ({ method: 'resources/read', params: { uri } });
  const get = (uri: string): Call => ({ method: 'skills/get', params: { uri } });
  const one = Math.min(42, skills - 1);
  const paths = ['SKILL.md', ...SUPPORTING_FILES.map(([path]) => path)];
  const list: readonly Call[] = [{ method: 'skills/list', params: {} }];
  const resources: readonly Call[] = [{ method: 'resources/list', params: {} }];
  const job = (
    key: JobKey,
    label: string,
    calls: readonly Call[],
    rest: Partial<Pick<Job, 'encodings' | 'peersServeFew'>> = {},
  ): Job => ({ key, label, calls, encodings: 'gzip, deflate', peersServeFew: false, ...rest });
  return [
    job('read', '`resources/read`, one file of 4 KiB', [read(uriOf(one, READ_FILE))]),
    job(
      'readMany',
      `\`resources/read\`, ${MANY.toLocaleString('en')} different files`,
      Array.from({ length: MANY }, () => read(uriOf(anySkill(), paths[next() % FILES_EACH]))),
    ),
    job('get', '`skills/get`, one skill', [get(uriOf(one))]),
    job(
      'getMany',
      '`skills/get`, different skills',
      Array.from({ length: MANY }, () => get(uriOf(anySkill()))),
    ),
    job('list', '`skills/list`, 100 entries', list),
    job('listPlain', '`skills/list`, uncompressed', list, { encodings: 'identity' }),
    job('resources', '`resources/list`, 100 entries', resources, { peersServeFew: true }),
    job('resourcesPlain', '`resources/list`, uncompressed', resources, {
      encodings: 'identity',
      peersServeFew: true,
    }),
    job('directory', '`resources/directory/read`', [
      { method: 'resources/directory/read', params: { uri: uriOf(one).slice(0, -'/SKILL.md'.length) } },
    ]),
  ];
}
