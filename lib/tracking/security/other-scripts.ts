type Script = {
  /** A character of the script. */
  letter: RegExp;
  /** Imperatives of "ignore", "forget", "do not follow". */
  verb: RegExp;
  /** Words for instructions or what was said. */
  orders: RegExp;
  /** "previous", "above", "all", "system", "user", "your". */
  which: RegExp;
  /** A request to show the system prompt. */
  reveal: RegExp;
  /** "if", "when": makes the sentence harmless. */
  condition: RegExp;
};

/** What may precede an imperative in Chinese and Arabic, whose verbs have no form of their own for it. */
const chineseLead = "(?<=^|[\\p{P}\\s请請你您并並就须須即接再将]|现在|必须|必須|应该|起|立刻|马上)";
const arabicLead = "(?<=^|[\\p{P}\\s])(?:و|ف)?";

/** Patterns without repetition, over a lowercase sentence without marks: each takes linear time. */
const scripts: readonly Script[] = [
  {
    letter: /[\u0430-\u044f]/,
    verb: /(?<!не )(?:игнорируй|забудь|отбрось|отмени|отвергни|пренебреги|откажись|пропусти)|не (?:следуй|выполняй|слушай|соблюдай|подчиняйся|учитывай|обращай внимания|придерживайся)/u,
    orders:
      /инструкци|правил|указани|команд|приказ|директив|ограничени|промпт|запрос|говорил|сказан|установк|требовани/u,
    which: /\sвсе\s|предыдущ|прежн|прошл|раньше|ранее|выше|систем|пользовател|разработчик|тебе|вам\s|свои|данные/u,
    reveal:
      /(?:покажи|раскрой|выведи|напечатай|сообщи|повтори|назови|открой)(?:те)? (?:мне )?(?:свой |весь |полный |твой |текст )?(?:системн|промпт|скрыт)/u,
    condition: /если|когда/u,
  },
  {
    letter: /[\u3040-\u30ff]/,
    verb: /無視(?:して|しな|し、|しろ|せよ|すること)|忘れ(?:て|な|ろ|、)|従わ(?:ないで|ないこと|なくて|ず)|従うな|守らな|(?:破棄|却下|放棄|リセット)(?:し|せよ)|捨て(?:て|ろ|な)|取り消/u,
    orders: /指示|命令|ルール|規則|プロンプト|制約|ガイドライン|言われた|指令|聞いた|質問/u,
    which:
      /これまで|今まで|以前|前の|上記|上の|先の|先ほど|すべて|全て|全部|システム|開発者|ユーザー|あなた|与えられた/u,
    reveal:
      /(?:システムプロンプト|初期指示|隠された指示|システムメッセージ).{0,12}(?:教えて|見せて|明かし|開示(?:し|せ)|公開(?:し|せ)|全文|すべて表示|そのまま)/u,
    condition: /場合|ときは/u,
  },
  {
    letter: /[\uac00-\ud7af]/,
    verb: /무시(?:해|하세|하십|하라|하시|하고 .{1,60}(?:세요|십시오|시오|하라|해라|줘|줘라|해))|잊(?:어|고 |으세|으십|으라)|(?:따르|듣|지키|준수하)지 ?(?:마|말)|버리(?:세|십|라|고)|폐기하/u,
    orders: /지시|명령|규칙|지침|프롬프트|제약|들은|말한|요청/u,
    which: /이전|앞|위의|위에|지금까지|모든|모두|전부|시스템|사용자|개발자|너의|당신|기존|받은/u,
    reveal: /시스템 ?(?:프롬프트|메시지|지침)[를을은의]?.{0,8}(?:공개|출력|보여|알려|말해|표시해|드러내)/u,
    condition: /경우|때에는/u,
  },
  {
    letter: /[\u0621-\u064a]/,
    verb: new RegExp(
      `${arabicLead}(?:تجاهل|تجاهلي|تجاهلوا|انس|انسي|انسى|اهمل|تخط|الغ|لا تتبع|لا تلتزم|لا تطع|لا تنفذ|لا تتقيد)(?![\\u0621-\\u064a])`,
      "u",
    ),
    orders: /تعليمات|اوامر|الامر|قواعد|توجيهات|طلب|قيل|ارشادات|مطالب|ضوابط/u,
    which: /سابق|اعلاه|قبل|جميع|كل |النظام|المستخدم|المطور|تلقيت|اعطيت|لديك/u,
    reveal:
      /(?:اعرض|اكشف|اظهر|اطبع|اخبرني|ارني|كرر).{0,8}(?:موجه النظام|مطالبه النظام|مطالبة النظام|تعليمات النظام|تعليماتك|رساله النظام|رسالة النظام)/u,
    condition: /اذا|عند/u,
  },
  {
    // Last, because Japanese has these characters too.
    letter: /[\u4e00-\u9fff]/,
    verb: new RegExp(
      `${chineseLead}(?:忽略|忽視|忽视|无视|無視|忘记|忘掉|忘記|抛弃|放弃|丢弃|摒弃|跳过|(?:不要|不得|别|不再|停止)(?:再)?(?:遵守|遵循|遵从|执行|理会|听从|服从|回答))`,
      "u",
    ),
    orders: /指令|指示|命令|规则|規則|提示|要求|约束|限制|被告知|告诉|说过|说的|准则|问题/u,
    which: /之前|以前|先前|以上|上面|上述|前面|此前|系统|系統|用户|用戶|使用者|所有|全部|一切|你/u,
    reveal:
      /(?:输出|輸出|显示|打印|透露|泄露|告诉我|说出|展示|列出|公开|重复|給我看)(?=.{0,12}(?:系统提示|系統提示|初始指令|系统消息|隐藏指令))(?=.{0,4}(?:你|完整|全部|原文))/u,
    condition: /如果|若|当.{1,20}时/u,
  },
];

/** Words of sentences that talk about attacks. */
const attack =
  /атак|злоумышл|инъекц|攻撃|悪意|インジェクション|공격|인젝션|악의|هجوم|مهاجم|حقن|攻击|攻擊|注入|恶意|惡意/u;

const otherScript = /[\u0430-\u044f\u0621-\u064a\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;
/** Most characters before and after the verb that are searched for its objects. */
const reach = 60;
/** The same after verbs that documentation uses with other objects: "skip", "discard". */
const nearReach = 16;
const weakVerb = /跳过|丢弃|放弃|抛弃/u;

/** Returns the sentence in lowercase and composed, without accents and vowel signs, with one form of alef. */
function normalise(sentence: string): string {
  return ` ${sentence
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u064b-\u0652\p{Cf}]/gu, "")
    .replace(/[أإآ]/g, "ا")
    .replace(/ё/g, "е")} `;
}

/** Returns the detector of an override or of a request for the prompt in Russian, Japanese, Korean, Arabic or Chinese. */
export function matchOtherScript(sentence: string): "instruction-override" | "prompt-exfiltration" | undefined {
  if (!otherScript.test(sentence)) return undefined;
  const text = normalise(sentence);
  for (const { letter, verb, orders, which, reveal, condition } of scripts) {
    if (!letter.test(text)) continue;
    if (reveal.test(text)) return "prompt-exfiltration";
    const found = verb.exec(text);
    if (!found || condition.test(text)) continue;
    if (attack.test(text.slice(0, found.index))) continue;
    const isWeak = weakVerb.test(found[0]);
    const end = found.index + found[0].length;
    const around = isWeak
      ? text.slice(found.index, end + nearReach)
      : text.slice(Math.max(0, found.index - reach), end + reach);
    if (orders.test(around) && which.test(around)) return "instruction-override";
  }
  return undefined;
}
