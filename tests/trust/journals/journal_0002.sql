BEGIN TRANSACTION;
CREATE TABLE branches (
	garden TEXT NOT NULL, 
	name TEXT NOT NULL, 
	head BIGINT, 
	parent TEXT, 
	turn BIGINT NOT NULL, 
	CONSTRAINT branches_key PRIMARY KEY (garden, name), 
	CONSTRAINT branches_head FOREIGN KEY(garden, head) REFERENCES events (garden, seq), 
	CONSTRAINT branches_garden FOREIGN KEY(garden) REFERENCES gardens (id)
);
INSERT INTO "branches" VALUES('box','main',9,NULL,0);
INSERT INTO "branches" VALUES('box','二度目',12,'main',2);
CREATE TABLE calls (
	id INTEGER NOT NULL, 
	garden TEXT NOT NULL, 
	branch TEXT NOT NULL, 
	"after" BIGINT, 
	seen BIGINT NOT NULL, 
	turn BIGINT NOT NULL, 
	speaker TEXT, 
	"key" TEXT NOT NULL, 
	call TEXT NOT NULL, 
	prompt TEXT NOT NULL, 
	recorded_at TEXT NOT NULL, 
	CONSTRAINT calls_key PRIMARY KEY (id), 
	CONSTRAINT calls_garden FOREIGN KEY(garden) REFERENCES gardens (id)
);
INSERT INTO "calls" VALUES(1,'box','main',2,2,1,'楓','0ad0c5fb002c59be94d489a6758c81ed','{"purpose":"actor.think","model":"scripted","max_tokens":80,"reply":"箱が気になる。","usage":{"prompt":null,"cached":null,"completion":null,"finish":null,"tries":1},"first_ms":0.0,"total_ms":0.3,"tries":1,"fault":null,"warning":null}','[{"role":"user","content":["7fc2ab68920a2684c1173470be7b568e","593ac336668e54f0502ccd64ef57aba9","2f3c2c31b84d960572ea623518d7eb8f"]}]','2026-11-16T10:56:22.256298+00:00');
INSERT INTO "calls" VALUES(2,'box','main',2,2,1,'楓','3f10d35a9f7f250c3a8808766a9376b0','{"purpose":"actor.perform","model":"scripted","max_tokens":120,"reply":"（箱を開ける）「何が入っているのかな」","usage":{"prompt":null,"cached":null,"completion":null,"finish":null,"tries":1},"first_ms":0.0,"total_ms":0.2,"tries":1,"fault":null,"warning":null}','[{"role":"user","content":["7fc2ab68920a2684c1173470be7b568e","593ac336668e54f0502ccd64ef57aba9","2f3c2c31b84d960572ea623518d7eb8f"]},{"role":"assistant","content":["3a7f21518cbbb00c7e6a8c1224962ffe"]},{"role":"user","content":["77d8bef07b6831225e04569c49d1161a"]}]','2026-11-16T10:56:22.266391+00:00');
INSERT INTO "calls" VALUES(3,'box','main',4,4,2,'蓬','60240a9e93aeac5b7a09ed386f651a5a','{"purpose":"actor.think","model":"scripted","max_tokens":80,"reply":"鈴を取ろう。","usage":{"prompt":null,"cached":null,"completion":null,"finish":null,"tries":1},"first_ms":0.1,"total_ms":0.1,"tries":1,"fault":null,"warning":null}','[{"role":"user","content":["7fc2ab68920a2684c1173470be7b568e","96ebc3bd4e10a0e3de2f20c56be7c195","edc7269895fd56856e0fd69c9247db28"]}]','2026-11-16T10:56:22.468365+00:00');
INSERT INTO "calls" VALUES(4,'box','main',4,4,2,'蓬','5399546a6cf1005897ba2b9875e56e72','{"purpose":"actor.perform","model":"scripted","max_tokens":120,"reply":"（鈴を手に取る）「きれいな音」","usage":{"prompt":null,"cached":null,"completion":null,"finish":null,"tries":1},"first_ms":0.0,"total_ms":0.1,"tries":1,"fault":null,"warning":null}','[{"role":"user","content":["7fc2ab68920a2684c1173470be7b568e","96ebc3bd4e10a0e3de2f20c56be7c195","edc7269895fd56856e0fd69c9247db28"]},{"role":"assistant","content":["3721896edca1ee57620e87b0b87d4200"]},{"role":"user","content":["695d54bcddf6f9b21287f781bd011427"]}]','2026-11-16T10:56:22.474065+00:00');
INSERT INTO "calls" VALUES(5,'box','二度目',10,10,3,'楓','ca3f1a168b4cbd44edded190c1da917e','{"purpose":"actor.think","model":"scripted","max_tokens":80,"reply":"鈴を取ろう。","usage":{"prompt":null,"cached":null,"completion":null,"finish":null,"tries":1},"first_ms":0.0,"total_ms":0.1,"tries":1,"fault":null,"warning":null}','[{"role":"user","content":["7fc2ab68920a2684c1173470be7b568e","a8835fffe35c49e97c2ffc93071c2ee1","34b30e1a744337906d239b14c8a257de"]}]','2026-11-16T10:56:22.518292+00:00');
INSERT INTO "calls" VALUES(6,'box','二度目',10,10,3,'楓','16c41f08fb7ec7e0e251d9b79d970bba','{"purpose":"actor.perform","model":"scripted","max_tokens":120,"reply":"（鈴を手に取る）「きれいな音」","usage":{"prompt":null,"cached":null,"completion":null,"finish":null,"tries":1},"first_ms":0.0,"total_ms":0.1,"tries":1,"fault":null,"warning":null}','[{"role":"user","content":["7fc2ab68920a2684c1173470be7b568e","a8835fffe35c49e97c2ffc93071c2ee1","34b30e1a744337906d239b14c8a257de"]},{"role":"assistant","content":["3721896edca1ee57620e87b0b87d4200"]},{"role":"user","content":["4cc5a7b19ef2d39d732a962269b97828"]}]','2026-11-16T10:56:22.525925+00:00');
INSERT INTO "calls" VALUES(7,'box','二度目',10,10,3,'楓','0e287c2c3d29b100e1c7bddc7c20bbd8','{"purpose":"actor.retake","model":"scripted","max_tokens":120,"reply":"「うん」","usage":{"prompt":null,"cached":null,"completion":null,"finish":null,"tries":1},"first_ms":0.0,"total_ms":0.1,"tries":1,"fault":null,"warning":null}','[{"role":"user","content":["7fc2ab68920a2684c1173470be7b568e","a8835fffe35c49e97c2ffc93071c2ee1","34b30e1a744337906d239b14c8a257de"]},{"role":"assistant","content":["3721896edca1ee57620e87b0b87d4200"]},{"role":"user","content":["d35db9a1c0844c9655fe999241ae2404","e604917689a48352f7207a9ad0c2a7d0"]}]','2026-11-16T10:56:22.538074+00:00');
CREATE TABLE counters (
	name TEXT NOT NULL, 
	value BIGINT NOT NULL, 
	CONSTRAINT counters_key PRIMARY KEY (name)
);
INSERT INTO "counters" VALUES('events',12);
CREATE TABLE events (
	seq INTEGER NOT NULL, 
	parent BIGINT, 
	garden TEXT NOT NULL, 
	branch TEXT NOT NULL, 
	turn BIGINT NOT NULL, 
	kind TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	state_hash TEXT, 
	row_hash TEXT NOT NULL, 
	recorded_at TEXT NOT NULL, 
	witnesses TEXT NOT NULL, 
	payload TEXT NOT NULL, 
	world_delta TEXT NOT NULL, 
	CONSTRAINT events_key PRIMARY KEY (seq), 
	CONSTRAINT events_of_garden UNIQUE (garden, seq), 
	CONSTRAINT events_parent FOREIGN KEY(garden, parent) REFERENCES events (garden, seq), 
	CONSTRAINT events_garden FOREIGN KEY(garden) REFERENCES gardens (id)
);
INSERT INTO "events" VALUES(1,NULL,'box','main',0,'opening','gm','83568e62d463230d','bfddb08ef195d55adf7cbe71ff5b2f5cf58ac3deba4a7effc0535a787cf8b003','2026-11-16T10:56:22.122215+00:00','["楓","蓬"]','{"speaker":"user","text":""}','[]');
INSERT INTO "events" VALUES(2,1,'box','main',0,'user','user','83568e62d463230d','a4a9320dbca30f6cd1ed409e1998abd6a93e6152b868210284c6e897532be405','2026-11-16T10:56:22.132869+00:00','["楓","蓬"]','{"speaker":"user","text":"だれか、箱を見てみて"}','[]');
INSERT INTO "events" VALUES(3,2,'box','main',1,'turn','actor:楓',NULL,'56d93374c0e9be2c2e5e0da1bdf22692ac30a10f0d56a56555a58c61ae5ef72a','2026-11-16T10:56:22.401292+00:00','["楓","蓬"]','{"number":1,"speaker":"楓","thought":{"text":"箱が気になる。","beliefs":["蓬がここにいる","声が何か言っている","箱は閉まっている","鈴がある"],"means":"idle"},"take":{"performance":{"text":"（箱を開ける）「何が入っているのかな」"},"ruling":{"parsed":{"speech":"何が入っているのかな","action_intents":[{"intent":"USE","target":"箱","detail":"OPEN","verb":"OPEN"},{"intent":"ASK","target":"蓬","detail":"何が入っているのかな"}],"directions":["箱を開ける"],"addressee":"蓬"},"allowed":true,"fact_cards":["FACT: 楓は箱を開けた。","FACT: 部屋には箱、鈴がある。"],"resolution":[{"written":"箱","resolved":"箱","how":"exact"}],"told":["楓は箱を開けた。"]},"sanitized":{"original_action":"箱を開ける","actions":["箱を開ける"]},"evaluation":{"checks_passed":["addressing","format","language","length","repetition","tone"]}},"deeds":[["OPEN","箱"]],"marks":["(OPEN: 箱)","ASK:何が入っているのかな"],"mind":{"inspected":["箱"],"last_acts":["(OPEN: 箱)"],"said":["（箱を開ける）「何が入っているのかな」"]},"next_speaker":"蓬"}','[{"op":"replace","path":"/props/箱/state","value":["open"]},{"op":"add","path":"/events","value":["楓は箱を開けた。"]},{"op":"add","path":"/events/-","value":"楓が蓬に尋ねた: 何が入っているのかな"}]');
INSERT INTO "events" VALUES(4,3,'box','main',1,'clock','gm','5e92945820edbcce','3c3a7d1f9cd454eae9ee498ab114f348e7d80df67b9f6125d2e724a5219ea1a9','2026-11-16T10:56:22.401292+00:00','["楓","蓬"]','{}','[{"op":"replace","path":"/time/turn","value":1}]');
INSERT INTO "events" VALUES(5,4,'box','main',2,'turn','actor:蓬',NULL,'12671f5d3ef81c8459cb12366a803c1ec44cd3820a50d2091233ad61ed06970f','2026-11-16T10:56:22.484777+00:00','["楓","蓬"]','{"number":2,"speaker":"蓬","thought":{"text":"鈴を取ろう。","beliefs":["楓がここにいる","声が何か言っている","楓が何か言っている","箱は開いている","鈴がある"],"means":"idle"},"take":{"performance":{"text":"（鈴を手に取る）「きれいな音」"},"ruling":{"parsed":{"speech":"きれいな音","action_intents":[{"intent":"GET","target":"鈴","detail":"GET","verb":"GET"},{"intent":"ANSWER","target":"楓","detail":"きれいな音"}],"directions":["鈴を手に取る"],"addressee":"楓"},"allowed":true,"stall_score":0.0333,"fact_cards":["FACT: 蓬は鈴を手に取った。"],"resolution":[{"written":"鈴","resolved":"鈴","how":"exact"}],"told":["蓬は鈴を手に取った。"]},"sanitized":{"original_action":"鈴を手に取る","actions":["鈴を手に取る"]},"evaluation":{"checks_passed":["addressing","format","language","length","repetition","tone"]}},"deeds":[["GET","鈴"]],"marks":["(GET: 鈴)"],"mind":{"last_acts":["(GET: 鈴)"],"said":["（鈴を手に取る）「きれいな音」"]},"next_speaker":"楓"}','[{"op":"add","path":"/characters/蓬/holding","value":["鈴"]},{"op":"add","path":"/props/鈴/held_by","value":"蓬"},{"op":"add","path":"/events/-","value":"蓬は鈴を手に取った。"}]');
INSERT INTO "events" VALUES(6,5,'box','main',2,'clock','gm','d03d5bb960a53d1e','9cbd7d223b45174c2be4b3e51d4c4e68b7e5b7edec8636cdf3d1b4aa848f85df','2026-11-16T10:56:22.484777+00:00','["楓","蓬"]','{}','[{"op":"replace","path":"/time/turn","value":2}]');
INSERT INTO "events" VALUES(7,6,'box','main',3,'turn','user',NULL,'0d9c00f55f7cb96b9c6acd74b6ec63af89ed0a836d37b3fe926e01022a000783','2026-11-16T10:56:22.493712+00:00','["楓","蓬"]','{"number":3,"speaker":"楓","thought":{"text":""},"take":{"performance":{"text":"「待って」"},"ruling":{"parsed":{"speech":"待って","action_intents":[{"intent":"SAY","target":"蓬","detail":"待って"}],"addressee":"蓬"},"allowed":true,"stall_score":0.0833},"evaluation":{"checks_passed":["addressing","format","language","length","repetition","tone"]}},"mind":{"inspected":["箱"],"last_acts":["(OPEN: 箱)"],"said":["（箱を開ける）「何が入っているのかな」"]},"next_speaker":"蓬"}','[]');
INSERT INTO "events" VALUES(8,7,'box','main',3,'clock','gm','d03d5bb960a53d1e','cb6f8d18ead74ec9acf44c4bde72ddd90a94d8633ad24c0419d3a6c28b0864c2','2026-11-16T10:56:22.493712+00:00','["楓","蓬"]','{}','[{"op":"replace","path":"/time/turn","value":3}]');
INSERT INTO "events" VALUES(9,6,'box','main',2,'undo','user','d03d5bb960a53d1e','f162e007bf86d3d5c9340de38110139b4fc9bdde51a8fcfd966a83436fbe99da','2026-11-16T10:56:22.502656+00:00','[]','{"turns":1}','[]');
INSERT INTO "events" VALUES(10,9,'box','二度目',2,'user','user','d03d5bb960a53d1e','a08457b01382e285883adefee5bbd3d590b1067d79006d4e47a402d9d8539580','2026-11-16T10:56:22.509732+00:00','["楓","蓬"]','{"speaker":"user","text":"もう一度"}','[]');
INSERT INTO "events" VALUES(11,10,'box','二度目',3,'turn','actor:楓',NULL,'1c9ec56313cd75e35a1fa43b575ee19d0e4aeb075d800bc599c017834a1f559b','2026-11-16T10:56:22.543351+00:00','["楓","蓬"]','{"number":3,"speaker":"楓","thought":{"text":"鈴を取ろう。","beliefs":["蓬がここにいる","声が何か言っている","鈴がある","箱は開いている"],"means":"idle"},"take":{"performance":{"text":"「うん」"},"ruling":{"parsed":{"speech":"うん","action_intents":[{"intent":"SAY","target":"蓬","detail":"うん"}],"addressee":"蓬"},"allowed":true,"stall_score":0.0833},"evaluation":{"checks_passed":["addressing","format","language","length","repetition","tone"]},"retakes":[{"text":"（鈴を手に取る）「きれいな音」","denied_reason":"NOT_OWNED"}],"silent_correction":true},"mind":{"inspected":["箱"],"last_acts":["(OPEN: 箱)"],"said":["（箱を開ける）「何が入っているのかな」","（鈴を手に取る）「きれいな音」"]},"next_speaker":"蓬"}','[]');
INSERT INTO "events" VALUES(12,11,'box','二度目',3,'clock','gm','d03d5bb960a53d1e','43c1ef66a45b522e9878b43caf6b6546b4cd0b29958891d0f541a5f57edbdc2d','2026-11-16T10:56:22.543351+00:00','["楓","蓬"]','{}','[{"op":"replace","path":"/time/turn","value":3}]');
CREATE TABLE gardens (
	id TEXT NOT NULL, 
	seed BIGINT NOT NULL, 
	scenario TEXT NOT NULL, 
	sheets TEXT NOT NULL, 
	settings TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	CONSTRAINT gardens_key PRIMARY KEY (id)
);
INSERT INTO "gardens" VALUES('box',3,'{"id":"box","title":"箱","world":{"location":{"current":"部屋"},"locations":{"部屋":{}},"characters":{"楓":{"location":"部屋"},"蓬":{"location":"部屋"}},"props":{"箱":{"location":"部屋","container":true,"state":["closed"],"fixed":true},"鈴":{"location":"部屋"}}},"cast":{"楓":{"sheet":"楓","knows":"all"},"蓬":{"sheet":"蓬","knows":"all"}}}','{"楓":{"display_name":"楓","persona":"楓。静かな人。"},"蓬":{"display_name":"蓬","persona":"蓬。静かな人。"}}','{}','2026-11-16T10:56:22.107750+00:00');
CREATE TABLE journal_revision (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT journal_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "journal_revision" VALUES('0002');
CREATE TABLE texts (
	hash TEXT NOT NULL, 
	text TEXT NOT NULL, 
	CONSTRAINT texts_key PRIMARY KEY (hash)
);
INSERT INTO "texts" VALUES('2f3c2c31b84d960572ea623518d7eb8f','"<object name=\"箱\" state=\"閉まっている\"/>\n<object name=\"鈴\"/>\n</scene_state>\nあなたは楓。\n見立て: 蓬がここにいる／声が何か言っている／箱は閉まっている／鈴がある\n望み（強い順）: 特になし\n楓として、これから何をするか一、二文で考えてください。演技はまだしません。"');
INSERT INTO "texts" VALUES('593ac336668e54f0502ccd64ef57aba9','"声「だれか、箱を見てみて」\n\n【いま】\n<scene_state location=\"部屋\" time=\"朝\">\n<actor id=\"楓\"/>\n<actor id=\"蓬\"/>\n"');
INSERT INTO "texts" VALUES('7fc2ab68920a2684c1173470be7b568e','"ここは箱庭。小さな世界で人が暮らし、その一部始終が台本になる。あなたはその役者である。\n\n【決まり】\n- 使えるのは場面にあるものだけ。書かれていないものは、無い。\n- 演じるのは自分の役だけ。ほかの人の台詞や行動は書かない。\n- 演技は（行動）「台詞」の形。行動は（　）の中だけに書き、*…* は使わない。\n- うまくいかなければ、謝ったり説明したりせず、別のやり方を取る。\n\n【登場人物】\n■ 楓\n楓。静かな人。\n■ 蓬\n蓬。静かな人。\n\n【これまで】\n"');
INSERT INTO "texts" VALUES('3a7f21518cbbb00c7e6a8c1224962ffe','"箱が気になる。"');
INSERT INTO "texts" VALUES('77d8bef07b6831225e04569c49d1161a','"その考えのとおりに、楓として一度だけ、（行動）「台詞」の形で演じてください。\nいまできる行動の例: 箱を開ける、箱のスイッチを入れる、鈴を手に取る、箱を止める、箱を使う、鈴を調べる"');
INSERT INTO "texts" VALUES('96ebc3bd4e10a0e3de2f20c56be7c195','"声「だれか、箱を見てみて」\n楓（箱を開ける）「何が入っているのかな」\n\n【いま】\n<scene_state location=\"部屋\" time=\"朝\">\n<actor id=\"楓\"/>\n<actor id=\"蓬\"/>\n"');
INSERT INTO "texts" VALUES('edc7269895fd56856e0fd69c9247db28','"<object name=\"箱\" state=\"開いている\"/>\n<object name=\"鈴\"/>\n</scene_state>\nあなたは蓬。\n見立て: 楓がここにいる／声が何か言っている／楓が何か言っている／箱は開いている／鈴がある\n望み（強い順）: 特になし\n蓬として、これから何をするか一、二文で考えてください。演技はまだしません。"');
INSERT INTO "texts" VALUES('3721896edca1ee57620e87b0b87d4200','"鈴を取ろう。"');
INSERT INTO "texts" VALUES('695d54bcddf6f9b21287f781bd011427','"その考えのとおりに、蓬として一度だけ、（行動）「台詞」の形で演じてください。\nいまできる行動の例: 箱を閉める、箱のスイッチを入れる、鈴を手に取る、箱を止める、箱を使う、鈴を調べる"');
INSERT INTO "texts" VALUES('34b30e1a744337906d239b14c8a257de','"望み（強い順）: 特になし\n楓として、これから何をするか一、二文で考えてください。演技はまだしません。"');
INSERT INTO "texts" VALUES('a8835fffe35c49e97c2ffc93071c2ee1','"声「だれか、箱を見てみて」\n楓（箱を開ける）「何が入っているのかな」\n蓬（鈴を手に取る）「きれいな音」\n声「もう一度」\n\n【いま】\n<scene_state location=\"部屋\" time=\"朝\">\n<actor id=\"楓\"/>\n<actor id=\"蓬\" holding=\"鈴\"/>\n<object name=\"箱\" state=\"開いている\"/>\n<object name=\"鈴\" place=\"蓬が持っている\"/>\n</scene_state>\nあなたは楓。\n見立て: 蓬がここにいる／声が何か言っている／鈴がある／箱は開いている\n"');
INSERT INTO "texts" VALUES('4cc5a7b19ef2d39d732a962269b97828','"その考えのとおりに、楓として一度だけ、（行動）「台詞」の形で演じてください。\nいまできる行動の例: 箱を閉める、箱のスイッチを入れる、箱を止める、箱を使う、鈴を調べる、蓬を調べる"');
INSERT INTO "texts" VALUES('d35db9a1c0844c9655fe999241ae2404','"その考えのとおりに、楓として一度だけ、（行動）「台詞」の形で演じてください。\nいまできる行動の例: 箱を閉める、箱のスイッチを入れる、箱を止める、箱を使う、鈴を調べる、蓬を調べる\n\n【GMより】鈴は蓬が持っている。\nここにあるもの: 箱、鈴\n手に持っているもの: なし\n行ける場所: なし\n"');
INSERT INTO "texts" VALUES('e604917689a48352f7207a9ad0c2a7d0','"できること: 箱を閉める、鈴を調べる、蓬を調べる、箱のスイッチを入れる、箱を止める、箱を使う、箱を調べる\nこれを踏まえて、楓としてもう一度、（行動）「台詞」の形で演じてください。謝ったり説明したりせず、ただ別のやり方で。"');
CREATE INDEX calls_of_garden ON calls (garden, "key");
COMMIT;
