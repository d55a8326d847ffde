"""Pet names by locale, and pet categories.

Imports nothing, so that a locale can be validated without Faker. Do not add, remove or reorder
names: the generator deals from these lists, so any change gives other pets for the same seed, and
golden tests fail. The length of each list is a multiple of 16: a deck ends with a block of 16 pets,
and names do not repeat within a block.
"""

DEFAULT_LOCALE = "en_US"

CATEGORIES = (1, 2, 3, 4, 5, 6)
"""Dogs, cats, birds, small mammals, fish, and reptiles with amphibians: the contract only has
identifiers of categories, so their meaning is our choice."""

_NAMES = {
    "en_US": """
        Abby Apollo Bandit Bear Bella Biscuit Boomer Buddy Buster Cali Casper Charlie Chloe Coco
        Cooper Daisy Dexter Diesel Duke Ginger Gizmo Gracie Gus Hazel Hunter Honey Jasper Koda Lady
        Lucky Luna Maggie Marley Max Maverick Midnight Milo Mittens Mocha Moose Nala Oreo Peanut
        Pepper Piper Pumpkin Ranger Rocky Roxy Rusty Sadie Sammy Scout Shadow Smokey Snickers Sophie
        Sparky Tank Toby Tucker Willow Ziggy Zoey
    """,
    "en_GB": """
        Alfie Archie Badger Barney Basil Beau Bertie Betsy Bonnie Bracken Bramble Buttons Clover
        Conker Crumpet Dotty Dougal Ernie Fergus Fern Fidget Florence Freddie George Hamish Heather
        Hector Henry Hetty Humphrey Jasmine Jess Mabel Marmalade Merlin Milly Monty Murphy Nettle
        Nutmeg Olive Oscar Otis Pickle Pippin Poppy Purdey Ralph Rosie Rufus Sooty Sorrel Stanley
        Tess Thistle Tilly Tigger Truffle Tuppence Wellington Whisky Wilfred Winnie Winston
    """,
    "de_DE": """
        Amy Anton Balu Bärli Bella Bello Benno Blacky Bruno Cäsar Cleo Emma Ferdi Fiete Findus
        Flecki Flitzi Flocke Frieda Fritzi Hansi Hasso Hexe Igor Kalle Karlchen Keks Kira Krümel
        Lilly Lotte Löwe Lumpi Maja Mieze Mimi Minka Mogli Moritz Muffin Murmel Nala Nero Paula
        Peterle Pauline Pünktchen Purzel Rocco Rex Romeo Rudi Schnuffi Schnurri Socke Strolch Susi
        Tapsi Tiger Trixi Waldi Wuschel Zausel Zottel
    """,
    "fr_FR": """
        Amande Athos Babouche Balto Bibi Biscotte Bouboule Boule Câline Cannelle Caramel Chaussette
        Chipie Choupette Clochette Cookie Doudou Fanfan Félix Filou Flocon Fripouille Gaston
        Gribouille Grisou Guimauve Hermine Iris Jules Kiwi Lulu Maki Mirabelle Mistigri Minette
        Minou Moka Moustache Nougat Noisette Olaf Oscar Pacha Papillon Patapouf Pépin Pirate
        Pistache Plume Poilu Pompon Praline Princesse Réglisse Roméo Rouky Saphir Simba Tango Titus
        Tigrou Vanille Violette Zébulon
    """,
    "es_ES": """
        Aceituna Bimba Blanquita Boby Bolita Brisa Bruma Canela Capitán Chispa Chiqui Churro Coco
        Copito Curro Dama Duque Estrella Fénix Flor Galleta Garbanzo Goliat Greta Kiara Lagun Laika
        Linda Lola Lucero Luna Mancha Manchitas Miel Michi Mimosa Mora Nana Nube Niebla Noa Nuca
        Ñoño Pancho Pelusa Peluso Pepa Perla Pipo Pirata Pistacho Pulga Rayo Reina Rocco Rufo Sultán
        Tina Tizón Toby Trasto Trufa Turrón Zeus
    """,
    "it_IT": """
        Argo Artù Balù Bianca Biba Birba Birillo Biscotto Brace Briciola Bubi Camilla Chicco Cioppi
        Dado Diana Ettore Fido Fiocco Fufi Fulmine Gigia Gilda Ginevra Giotto Kira Lampo Laika Leo
        Lilla Macchia Mia Micia Milù Minù Mirtillo Molly Nebbia Nerina Neve Nocciola Nuvola Oliver
        Orso Pallina Palla Penny Pepe Pippo Pongo Pulce Priscilla Romeo Rocky Saetta Silvestro
        Stella Tigre Tobia Trilly Trottola Tommy Zara Zorro
    """,
    "nl_NL": """
        Aagje Bas Beer Berend Bikkel Binkie Boef Bobbie Boris Bram Bruintje Chico Dikkie Dirkje
        Dibbes Diva Donder Doortje Droppie Falco Fien Flappie Flip Floortje Gijs Guus Hummel Jip
        Joep Juul Kaatje Karel Kareltje Knabbel Koos Kruimel Lobbes Loebas Lotje Max Mies Miep
        Minoes Moos Mopje Muis Nootje Noor Okkie Pien Pip Pluis Poekie Poes Pukkie Saar Sientje
        Snoetje Snuf Sproet Stippie Teuntje Tommie Wodan
    """,
    "pl_PL": """
        Aza Azor Bąbel Bajka Bazyl Borys Burek Bury Cezar Ciapek Czarek Diana Fafik Felek Figa
        Filemon Fiona Frytka Gacek Gapcio Gucio Hektor Imbir Iskra Karmel Kicia Kłębek Kleks Kropka
        Kruszynka Kulka Lolek Łapka Łatek Maciek Max Misia Miśka Mruczek Muszka Nugat Nela Nutka
        Pączek Perła Pikuś Pimpek Psotka Puszek Puma Rambo Reksio Saba Sara Szarik Śnieżka Tofik
        Tosia Tygrys Węgielek Wiórek Żaba Żelka Zuzia
    """,
    "pt_BR": """
        Amora Apolo Bento Billy Biju Bolinha Bolota Brigadeiro Cacau Caju Caramelo Chico Cocada
        Costelinha Dengo Dom Dora Estopinha Farofa Feijão Flora Floquinho Fofinha Frajola Fred Frida
        Fubá Garoa Jade Juca Jujuba Lilica Lupi Luma Madalena Manga Maia Malhado Mel Mimi Mingau
        Neblina Nina Paçoca Pandora Paçoquinha Pingo Pintado Pipoca Pituca Pituxa Princesa Quindim
        Rabito Rajado Sansão Serena Simba Tapioca Thor Tobias Totó Xodó Zeca
    """,
    "sv_SE": """
        Agda Allis Alva Bamse Bella Bosse Busan Buster Charlie Doris Dumle Elvis Esset Fia Findus
        Frasse Gösta Greta Gråben Hugo Iris Jerry Kajsa Kasper Kalle Kissen Kola Lakrits Lillan Lisa
        Loke Lova Majsan Mio Misse Moltas Morris Musse Måns Nelly Nisse Nougat Olle Ozzy Pelle
        Plutten Pysen Pärla Ronja Rufsan Signe Sigge Siri Sixten Smulan Snurre Snöflinga Sotis
        Svante Tage Tassen Tindra Tusse Zingo
    """,
    "ja_JP": """
        モモ ソラ ココ レオ マロン チョコ モカ ハナ クロ シロ タマ ミケ トラ コテツ ムギ きなこ
        あずき だいず おもち わらび こむぎ くるみ ひなた さくら すみれ こはる ぽんず ちまき ごま
        もなか しじみ つくし ゆず みかん れんげ わさび ベル ラテ ルナ メイ リン ナナ マル フク ハチ
        ゴン チビ プリン ミルク バニラ クッキー ショコラ シナモン アポロ ジャック サスケ 小鉄 小梅
        小麦 茶々 福助 虎太郎 大福 豆助
    """,
    "zh_CN": """
        豆豆 球球 毛毛 咪咪 点点 果果 乐乐 贝贝 妞妞 皮皮 团团 圆圆 花花 丢丢 多多 旺旺 嘟嘟 朵朵
        旺财 来福 大黄 小白 小黑 小灰 阿福 阿黄 元宝 招财 进宝 富贵 馒头 包子 汤圆 饺子 豆包 年糕
        糯米 芝麻 花生 核桃 土豆 布丁 可乐 奶茶 奶糖 奶酪 饼干 泡芙 曲奇 拿铁 煤球 雪球 雪糕 麻团
        橘子 柚子 石榴 樱桃 辣椒 米粒 虎子 黑豆 将军 闪电
    """,
    "ko_KR": """
        초코 콩이 보리 두부 코코 몽이 뭉치 까미 해피 사랑이 별이 달이 구름이 하늘이 봄이 여름이
        가을이 겨울이 밤이 감자 고구마 호두 땅콩 만두 찹쌀 인절미 시루 송편 순대 모찌 라떼 모카 쿠키
        우유 치즈 버터 호빵 꼬미 나비 야옹이 복실이 복돌이 복순이 바둑이 백구 황구 누렁이 흰둥이
        점박이 돌돌이 방울이 토리 루루 미미 레오 단추 솜이 쫑이 망고 자두 앵두 참깨 후추 연두
    """,
    "ar_SA": """
        مشمش لولو سمسم بسبوسة فلفل سكر عسل كراميل بندق فستق لوزة زبيب كنافة قهوة حليب زبدة قطوطة
        بسبس عصفور ريشة وردة ياسمين نرجس فلة ليمون برتقال تفاحة توتة كرزة رمانة نعناع زعفران قمر
        نجمة هلال غيمة ثلج برق رعد شهاب غزال صقر نمر فهد أسد دبدوب أرنوب بطوط كوكو ماكس ميشو ميمي
        لوسي روكي سيمبا تيتو فوفو زيزو لولي شوشو سوسو توتي بوبي جوجو
    """,
    "he_IL": """
        אגוז אפרסק ארטיק במבה בובה בוטנה בונו בוני בלה ברק גאיה גולי גיזמו גפן דובי דבש דולי וניל
        זברה חומוס חמודה טופי טושי כדורי כוכב כתם לאקי לביבה לולה לונה מוקה מוקי מיצי מלכה מנגו מקס
        נמר סוכר סימבה סנדי עוגי פומפום פופי פיסטוק פיצי פלאפל פלפל פנתר ציפי צימוק קוקו קינמון קפה
        קרמבו רוקי רקסי שוקו שושי שלגי שמש תאנה תמר תות תפוז
    """,
}

LOCALES: dict[str, tuple[str, ...]] = {
    locale: tuple(names.split()) for locale, names in _NAMES.items()
}
"""Locale to names, in the locale's own script."""
