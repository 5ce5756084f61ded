/**
 * Changes of what is served beside skills.
 *
 * @module
 */
import type { ChangedLists } from './notify.ts';
import type { ProviderOptions } from './provider.ts';

/** Hears of the changes of prompts and documents, counts those that lists show, and has them told. */
export class OtherChanges {
  readonly #ends: (() => void)[] = [];
  #prompts = 0;
  #docs = 0;

  constructor(
    { prompts, docs }: Pick<ProviderOptions, 'prompts' | 'docs'>,
    tell: (updated: readonly string[], lists: ChangedLists) => void,
  ) {
    if (prompts !== undefined) {
      this.#ends.push(
        prompts.onChange(({ listChanged, updated }) => {
          if (listChanged) this.#prompts += 1;
          tell(updated, { prompts: listChanged });
        }),
      );
    }
    if (docs !== undefined) {
      this.#ends.push(
        docs.onChange(({ listChanged, updated }) => {
          const resources = listChanged && docs.listing !== undefined;
          if (resources) this.#docs += 1;
          tell(updated, { resources });
        }),
      );
    }
  }

  /** Changes of what `prompts/list` shows of the files. */
  get prompts(): number {
    return this.#prompts;
  }

  /** Changes of what `resources/list` shows of the documents. */
  get docs(): number {
    return this.#docs;
  }

  /** Hears nothing from then on. */
  close(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}
