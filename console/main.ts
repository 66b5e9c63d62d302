/** Starts the console: language and theme, who is signed in, and the frame around the screens. */
import { render } from 'preact';
import { Refusal } from './api.ts';
import { Frame } from './frame/frame.ts';
import { h } from './h.ts';
import { chooseLanguage, chooseTheme, language, theme } from './preferences.ts';
import { findSession } from './session.ts';

chooseTheme(theme.peek());
let problem: unknown = null;
await Promise.all([
  chooseLanguage(language.peek()),
  findSession().catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    problem = error;
  }),
]);
render(h(Frame, { problem }), document.getElementById('console') as HTMLElement);
