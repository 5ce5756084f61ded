import type { Numbers } from './measured.ts';
import { rate, table, time } from './table.ts';

const WHO = ['floor', 'skillwire', 'sdk', 'olaservo'] as const;

/** The few numbers that say most, everybody beside everybody. */
export function glanceLines(numbers: Numbers): string[] {
  const requests = (label: string, job: string): string[] => [
    label,
    ...WHO.map((who) => rate(numbers[`http.${job}.${who}.perSecond`])),
  ];
  return table(
    [
      '',
      { number: 'plain Node floor' },
      { number: 'Skillwire' },
      { number: 'official SDK' },
      { number: '`@olaservo/ext-skills`' },
    ],
    [
      ['load', ...['floor', 'cold', 'sdk', 'olaservo'].map((who) => time(numbers[`load.${who}.ms`]))],
      ['load, warm start', '', time(numbers['load.warm.ms']), '', ''],
      [
        'reload after one edit',
        '',
        time(numbers['reload.skillwire.ms']),
        time(numbers['reload.sdk.ms']),
        'restart',
      ],
      requests('HTTP `resources/read` of 4 KiB', 'read'),
      requests('HTTP `skills/get`', 'get'),
      requests('HTTP `skills/list`, 100 entries', 'list'),
      requests('the same, uncompressed', 'listPlain'),
    ],
  );
}
