/** The reader's choices in this browser: language and theme. Nothing else is stored, and no data of the service. */
import { signal } from '@preact/signals';
import type { Words } from './words/en.ts';

export const languages = { en: 'English', ja: '日本語' } as const;
export type Language = keyof typeof languages;

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const language = signal<Language>(chosenLanguage());
export const theme = signal<Theme>(themes.find((each) => each === kept('theme')) ?? 'system');

const catalogue = signal<Words | null>(null);

/** The texts of the chosen language; it is loaded before the first screen is drawn. */
export function words(): Words {
  return catalogue.value as Words;
}

export async function chooseLanguage(chosen: Language): Promise<void> {
  const { words } = chosen === 'ja' ? await import('./words/ja.ts') : await import('./words/en.ts');
  keep('language', chosen);
  document.documentElement.lang = chosen;
  catalogue.value = words;
  language.value = chosen;
}

export function chooseTheme(chosen: Theme): void {
  keep('theme', chosen);
  theme.value = chosen;
  const { dataset } = document.documentElement;
  if (chosen === 'system') delete dataset.theme;
  else dataset.theme = chosen;
}

function chosenLanguage(): Language {
  const before = kept('language') ?? navigator.language.slice(0, 2);
  return before === 'ja' ? 'ja' : 'en';
}

/** A browser may refuse its storage; then nothing is stored. */
function kept(name: string): string | null {
  try {
    return localStorage.getItem(`rowhouse.${name}`);
  } catch {
    return null;
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`rowhouse.${name}`, value);
  } catch {
    // The value then applies to this page only.
  }
}
