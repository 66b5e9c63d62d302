/** Texts on trying out queries, in Japanese. */
import type { playground as english } from '../en/playground.ts';
import type { Translated } from '../en.ts';

export const playground: Translated<typeof english> = {
  title: 'プレイグラウンド',
  what: 'クエリを試します。ここではすべてのレコードが対象です。クライアントではユーザーに見えるものだけです。',
  example: 'テーブルから始める',
  choose: '選択…',
  query: 'クエリ',
  form: '形式',
  forms: { select: 'selectクエリ', older: '旧形式のクエリ' },
  hints: {
    select: 'クライアントがdata/selectに送る形です。Ctrl+Enterで実行します。',
    older: 'クライアントがdata/queryに送る形です。scopeは使えません。Ctrl+Enterで実行します。',
  },
  run: '実行',
  rows: '行',
  took: (rows, milliseconds) => `${rows}行、${milliseconds}ミリ秒`,
  explain: '実行計画',
  plan: {
    title: 'データベースの動作',
    walk: (table, rows) => `${table}全体（約${rows}行）を読みます`,
    walkIndex: (table, index, rows) =>
      `${table}をインデックス（${index}）の順に読みます。ページが埋まるまで、最大で約${rows}行です`,
    find: (table, index) => `${table}の行をインデックス（${index}）で見つけます`,
    findByTerms: (table, column) => `${table}の行を${column}の全文検索で見つけます`,
    indexOnce: (table, columns) => `${table}のこれらの行のインデックス（${columns}）を、このクエリのためだけに作ります`,
    sort: '見つけた行を並べ替えます',
    group: '見つけた行をグループにまとめます',
    advice: (table, columns) => `${table}にインデックス（${columns}）があると速くなります。`,
  },
};
