// Tables are searched in the browser: whoever has all words somewhere in its `search` is found.

// A field for the words, and beside it how many rows have them.
export const SearchField = {
  template: `
    <div class="tc-row tight">
      <q-input :model-value="modelValue" @update:model-value="$emit('update:modelValue', $event)"
               outlined dense clearable class="tc-grow" type="search" :placeholder="'Search: ' + example" :aria-label="label">
        <template #prepend><q-icon name="search" /></template>
      </q-input>
      <span class="tc-dim" aria-live="polite">{{ found }} of {{ all }}</span>
    </div>`,
  props: { modelValue: String, label: String, example: String, found: Number, all: Number },
  emits: ["update:modelValue"],
};

export function withWords(rows, text) {
  const words = (text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => words.every((word) => row.search.includes(word)));
}
